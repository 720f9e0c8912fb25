/**
 * The writer's operations on nodes, shards and cluster-wide settings; each is the work of one whole transaction. A node
 * that is dead or has left stays so. Every change of a shard is a compare-and-set under the write lock that raises its
 * epoch: of two claimers one wins, and no earlier owner can write afterwards. `at` is the store time of a change, ms.
 */
import {
  type ClusterRows,
  DEATH_PREFIX,
  ENDED_NODES_MAX,
  type Heartbeat,
  type NodeRow,
  type ShardMove,
  type ShardRow,
  type Store,
} from '../../ports/store.ts';
import { eventWriter } from './cluster-events.ts';
import type { SqliteConnection } from './connect.ts';
import { nodeSql, settingSql, shardSql } from './statements.ts';

interface StoredNode extends Omit<NodeRow, 'operatorUrl' | 'reaches' | 'beatAt'> {
  readonly operator_url: string;
  readonly beat_at: number | null;
  readonly reaches: string;
}

type Named = Pick<NodeRow, 'name' | 'incarnation'>;
type Ended = Named & Pick<StoredNode, 'beat_at'>;

export function nodes(connection: SqliteConnection) {
  const note = eventWriter(connection);
  const replace = connection.prepare<[number, string], Ended>(nodeSql.replace);
  const insert = connection.prepare(nodeSql.insert);
  const forgetDeaths = connection.prepare(nodeSql.forgetDeaths);
  const forget = connection.prepare(nodeSql.forget);
  const beat = connection.prepare(nodeSql.beat);
  const alive = connection.prepare<[], StoredNode>(nodeSql.alive);
  const ended = connection.prepare<[number], StoredNode>(nodeSql.ended);
  const markDead = connection.prepare<[string, number, string, number], Ended>(nodeSql.markDead);
  const leave = connection.prepare<[number, string], Named>(nodeSql.leave);
  const revision = connection.prepare<[], { value: number }>(shardSql.revision);

  return {
    register(node: Parameters<Store['register']>[0], at: number): { readonly birth: number } {
      for (const replaced of replace.all(at, node.name)) {
        note.node('died', replaced, at, { why: 'replaced', lastBeatAt: replaced.beat_at, suspectedAt: null });
      }
      forgetDeaths.run(DEATH_PREFIX, ENDED_NODES_MAX);
      forget.run(ENDED_NODES_MAX);
      const { incarnation, name, address, operatorUrl, pid, host } = node;
      const born = insert.get(incarnation, name, address, operatorUrl, pid, host) as { birth: number };
      note.node('joined', node, at);
      return born;
    },

    heartbeat({ incarnation, reaches, state }: Heartbeat, at: number): Omit<ClusterRows, 'now'> {
      beat.run(at, JSON.stringify(reaches), state, incarnation);
      const shown = [...alive.all(), ...ended.all(ENDED_NODES_MAX)].map(nodeOf);
      return { nodes: shown.sort((a, b) => a.birth - b.birth), shardsRevision: revision.get()?.value ?? 0 };
    },

    markDead(
      incarnation: string,
      seenBeat: number,
      death: { why: string; suspectedAt: number | null },
      at: number,
    ): boolean {
      const dead = markDead.get(death.why, at, incarnation, seenBeat);
      if (dead !== undefined) note.node('died', dead, at, { ...death, lastBeatAt: dead.beat_at });
      return dead !== undefined;
    },

    leave(incarnation: string, at: number): void {
      const left = leave.get(at, incarnation);
      if (left !== undefined) note.node('left', left, at);
    },
  };
}

function nodeOf({ operator_url, beat_at, reaches, ...node }: StoredNode): NodeRow {
  return { ...node, operatorUrl: operator_url, beatAt: beat_at, reaches: JSON.parse(reaches) as string[] };
}

interface KnownNode extends Named, Pick<NodeRow, 'state'> {
  readonly ended_at: number | null;
}

export function ownership(connection: SqliteConnection) {
  const note = eventWriter(connection);
  const find = connection.prepare<[string], KnownNode>(nodeSql.find);
  const move = connection.prepare(shardSql.move);
  const raiseRevision = connection.prepare(shardSql.raiseRevision);

  /** Compare-and-set of one shard row; null when the row has changed. */
  function moveShard({ shard, owner, epoch }: ShardRow, to: string): ShardRow | null {
    return move.run(to, shard, owner, epoch).changes === 1 ? { shard, owner: to, epoch: epoch + 1 } : null;
  }

  function mayTakeFrom(holder: string | null, claimer: string): boolean {
    if (holder === null || holder === claimer) return true;
    const held = find.get(holder)?.state;
    return held === undefined || held === 'dead' || held === 'left';
  }

  /** One event for each node that had some of the shards. */
  function noteClaims(claimer: KnownNode, taken: ReadonlyMap<string | null, ShardMove[]>, at: number): void {
    for (const [holder, moves] of taken) {
      const had = holder === null ? undefined : find.get(holder);
      const tookMs = had?.ended_at == null ? null : at - had.ended_at;
      const from = holder === null ? null : { name: had?.name ?? holder, incarnation: holder };
      note.move('claimed', { to: claimer, from, moves, at, tookMs });
    }
  }

  return {
    claim(owner: string, from: readonly ShardRow[], at: number): readonly ShardRow[] {
      const claimer = find.get(owner);
      if (claimer?.state !== 'up') return [];
      const taken: ShardRow[] = [];
      const holders = new Map<string | null, ShardMove[]>();
      for (const seen of from) {
        const row = mayTakeFrom(seen.owner, owner) ? moveShard(seen, owner) : null;
        if (row === null) continue;
        taken.push(row);
        holders.set(seen.owner, [...(holders.get(seen.owner) ?? []), [row.shard, row.epoch]]);
      }
      if (taken.length > 0) raiseRevision.run();
      noteClaims(claimer, holders, at);
      return taken;
    },

    give(from: ShardRow, to: string, at: number): ShardRow | null {
      const receiver = find.get(to);
      if (from.owner === null || receiver?.state !== 'up') return null;
      const row = moveShard(from, to);
      if (row === null) return null;
      raiseRevision.run();
      const giver = { incarnation: from.owner, name: find.get(from.owner)?.name ?? from.owner };
      note.move('handed_over', { to: receiver, from: giver, moves: [[row.shard, row.epoch]], at, tookMs: null });
      return row;
    },
  };
}

export function settings(connection: SqliteConnection) {
  const createShard = connection.prepare(shardSql.create);
  const writeSetting = connection.prepare(settingSql.writeIfAbsent);
  const readSetting = connection.prepare<[string], { value: string }>(settingSql.read);

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
  };
}
