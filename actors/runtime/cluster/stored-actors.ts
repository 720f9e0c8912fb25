import type { Store } from '../ports/store.ts';
import type { ActorsPage, ActorsQuery } from './cluster.ts';
import type { Member } from './membership/member.ts';
import type { ShardMap } from './shards/shard-map.ts';

interface ListParts {
  readonly store: Pick<Store, 'listActors'>;
  readonly map: ShardMap;
  readonly member: Member;
}

/** A page of stored actors with the names of the nodes that own their shards. RangeError for an unknown node. */
export async function listActors(
  { store, map, member }: ListParts,
  { node, ...query }: ActorsQuery,
): Promise<ActorsPage> {
  const names = new Map(member.view.nodes.map(({ incarnation, name }) => [incarnation, name]));
  const nodeOf = (shard: number): string | null => names.get(map.ownerOf(shard) ?? '') ?? null;
  if (node !== undefined && ![...names.values()].includes(node)) throw new RangeError(`no node is called "${node}"`);
  const shards = Array.from({ length: map.count }, (_, shard) => shard).filter((shard) => nodeOf(shard) === node);
  if (node !== undefined && shards.length === 0) return { actors: [], next: null };
  const { actors, next } = await store.listActors(node === undefined ? query : { ...query, shards });
  return { actors: actors.map((actor) => ({ ...actor, node: nodeOf(actor.shard) })), next };
}
