/** What operators see of nodes and actors, made of what several nodes and the store say. */
import type { ActorCountRow, NodeRow } from '../ports/store.ts';
import type { ClusterView, MemberView, NodeRestarts } from './cluster.ts';
import { isAlive, type MembershipView } from './membership/member.ts';
import type { ShardMap } from './shards/shard-map.ts';

const HOUR_MS = 3_600_000;

/** An ended node is listed until a node of the same name starts. */
export function membersOf({ nodes, live }: MembershipView, map: Pick<ShardMap, 'tally'>): readonly MemberView[] {
  const shardsPerNode = map.tally();
  return nodes
    .filter((row) => isAlive(row) || isNewestOf(row, nodes))
    .map((row) => ({
      ...row,
      shards: shardsPerNode.get(row.incarnation) ?? 0,
      live: live.has(row.incarnation),
    }));
}

function isNewestOf(row: NodeRow, nodes: readonly NodeRow[]): boolean {
  return nodes.every((other) => other.name !== row.name || other.birth <= row.birth);
}

/** The stored counts, with those of resident kinds as the nodes have them in memory, if every node answers. */
export function withResidents(
  stored: readonly ActorCountRow[],
  residents: readonly (readonly ActorCountRow[] | null)[],
): readonly ActorCountRow[] {
  if (residents.includes(null)) return stored;
  const live = new Map<string, ActorCountRow>();
  for (const row of residents.flatMap((rows) => rows ?? [])) {
    const name = `${row.kind} ${row.state} ${row.chart}`;
    live.set(name, { ...row, count: row.count + (live.get(name)?.count ?? 0) });
  }
  const kinds = new Set([...live.values()].map(({ kind }) => kind));
  return [...stored.filter(({ kind }) => !kinds.has(kind)), ...live.values()].sort((a, b) =>
    `${a.kind} ${a.state}` < `${b.kind} ${b.state}` ? -1 : 1,
  );
}

/** How a node ended before, as its launcher saw it, else as its peers did. */
export function pastOf(
  { name }: NodeRow,
  nodes: readonly NodeRow[],
  restarts: NodeRestarts | undefined,
  now: number,
): Pick<ClusterView['nodes'][number], 'restarts' | 'lastEnd'> {
  const ended = nodes.filter((row) => row.name === name && !isAlive(row)).sort((a, b) => b.birth - a.birth)[0];
  const seen = ended === undefined ? null : { reason: ended.why ?? 'left in order', at: null };
  if (restarts === undefined) return { restarts: null, lastEnd: seen };
  const { total, times, lastEnd } = restarts;
  const lastHour = times.filter((at) => at > now - HOUR_MS).length;
  return { restarts: { total, lastHour }, lastEnd: lastEnd ?? seen };
}
