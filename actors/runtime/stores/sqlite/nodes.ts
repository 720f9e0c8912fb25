/**
 * The writer's operations on nodes. Every function is the work of one whole transaction. A node that is dead or has
 * left stays so; no function revives it.
 */
import {
  type ClusterRows,
  DEATH_PREFIX,
  ENDED_NODES_MAX,
  type Heartbeat,
  type NodeRow,
  type Store,
} from '../../ports/store.ts';
import type { SqliteConnection } from './connect.ts';
import { nodeSql } from './statements/nodes.ts';
import { shardSql } from './statements/shards.ts';

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
