/**
 * The writer's operations on nodes, shards and cluster-wide settings; each is the work of one whole transaction. A node
 * that is dead or has left stays so. Every change of a shard is a compare-and-set under the write lock that raises its
 * epoch: of two claimers one wins, and no earlier owner can write afterwards.
 */
import {
  type ClusterRows,
  DEATH_PREFIX,
  ENDED_NODES_MAX,
  type Heartbeat,
  type NodeRow,
  type ShardRow,
  type Store,
} from '../../ports/store.ts';
import type { SqliteConnection } from './connect.ts';
import { nodeSql, settingSql, shardSql } from './statements.ts';

interface StoredNode extends Omit<NodeRow, 'operatorUrl' | 'reaches'> {
  readonly operator_url: string;
  readonly reaches: string;
}

export function nodes(connection: SqliteConnection) {
  const replace = connection.prepare(nodeSql.replace);
  const insert = connection.prepare(nodeSql.insert);
  const forgetDeaths = connection.prepare(nodeSql.forgetDeaths);
  const forget = connection.prepare(nodeSql.forget);
  const beat = connection.prepare(nodeSql.beat);
  const alive = connection.prepare<[], StoredNode>(nodeSql.alive);
  const ended = connection.prepare<[number], StoredNode>(nodeSql.ended);
  const markDead = connection.prepare(nodeSql.markDead);
  const leave = connection.prepare(nodeSql.leave);
  const revision = connection.prepare<[], { value: number }>(shardSql.revision);

  return {
    register(node: Parameters<Store['register']>[0]): { readonly birth: number } {
      replace.run(node.name);
      forgetDeaths.run(DEATH_PREFIX, ENDED_NODES_MAX);
      forget.run(ENDED_NODES_MAX);
      const { incarnation, name, address, operatorUrl, pid, host } = node;
      return insert.get(incarnation, name, address, operatorUrl, pid, host) as { birth: number };
    },

    heartbeat({ incarnation, reaches, state }: Heartbeat): Omit<ClusterRows, 'now'> {
      beat.run(JSON.stringify(reaches), state, incarnation);
      const shown = [...alive.all(), ...ended.all(ENDED_NODES_MAX)].map(nodeOf);
      return { nodes: shown.sort((a, b) => a.birth - b.birth), shardsRevision: revision.get()?.value ?? 0 };
    },

    markDead(incarnation: string, seenBeat: number, why: string): boolean {
      return markDead.run(why, incarnation, seenBeat).changes === 1;
    },

    leave(incarnation: string): void {
      leave.run(incarnation);
    },
  };
}

function nodeOf({ operator_url, reaches, ...node }: StoredNode): NodeRow {
  return { ...node, operatorUrl: operator_url, reaches: JSON.parse(reaches) as string[] };
}

export function ownership(connection: SqliteConnection) {
  const state = connection.prepare<[string], { state: NodeRow['state'] }>(nodeSql.state);
  const move = connection.prepare(shardSql.move);
  const raiseRevision = connection.prepare(shardSql.raiseRevision);
  const createShard = connection.prepare(shardSql.create);
  const writeSetting = connection.prepare(settingSql.writeIfAbsent);
  const readSetting = connection.prepare<[string], { value: string }>(settingSql.read);

  /** Compare-and-set of one shard row; null when the row has changed. */
  function moveShard({ shard, owner, epoch }: ShardRow, to: string): ShardRow | null {
    return move.run(to, shard, owner, epoch).changes === 1 ? { shard, owner: to, epoch: epoch + 1 } : null;
  }

  function mayTakeFrom(holder: string | null, claimer: string): boolean {
    if (holder === null || holder === claimer) return true;
    const held = state.get(holder)?.state;
    return held === undefined || held === 'dead' || held === 'left';
  }

  function setting(name: string, valueIfAbsent: string): string {
    writeSetting.run(name, valueIfAbsent);
    return readSetting.get(name)?.value ?? valueIfAbsent;
  }

  return {
    setting,

    /** Creates the shard rows on first use; returns the count that the database was created with. */
    settleShardCount(count: number): number {
      const settled = Number(setting('shards', String(count)));
      for (let shard = 0; shard < settled; shard++) createShard.run(shard);
      return settled;
    },

    claim(owner: string, from: readonly ShardRow[]): readonly ShardRow[] {
      if (state.get(owner)?.state !== 'up') return [];
      const taken: ShardRow[] = [];
      for (const seen of from) {
        const row = mayTakeFrom(seen.owner, owner) ? moveShard(seen, owner) : null;
        if (row) taken.push(row);
      }
      if (taken.length > 0) raiseRevision.run();
      return taken;
    },

    give(from: ShardRow, to: string): ShardRow | null {
      if (from.owner === null || state.get(to)?.state !== 'up') return null;
      const row = moveShard(from, to);
      if (row) raiseRevision.run();
      return row;
    },
  };
}
