import type { Cluster, Json, Kind } from '../../../actors/runtime/index.ts';
import type { PureActors } from './pure-actors.ts';

/** The rows of pure actors as a node reads them from the store: by index column, in order, page by page. */
export function rowsOf(actors: PureActors): Pick<Cluster, 'rows'> {
  const all = (name: string) =>
    [...actors.rows].flatMap(([place, body]) => {
      const [address = '', collection = '', ...rest] = place.split(' ');
      const kind = actors.kinds.get(address.slice(0, address.indexOf(':')))?.kind as Kind;
      const declared = kind.collections[collection];
      if (collection !== name || declared === undefined) return [];
      const index = (declared.index ?? []).map((column) => column(body as never));
      return [
        { address, collection, id: rest.join(' '), sort: declared.sort(body as never), index, body: textOf(body) },
      ];
    });
  const rows = {
    async row(address: string, collection: string, id: string) {
      return all(collection).find((row) => row.address === address && row.id === id) ?? null;
    },
    async rowById(collection: string, id: string) {
      return all(collection).find((row) => row.id === id) ?? null;
    },
    async rows({
      collection,
      address,
      where,
      order = 'ascending',
      after,
      limit,
    }: Parameters<Cluster['rows']['rows']>[0]) {
      const sign = order === 'ascending' ? 1 : -1;
      const compared = (a: { sort: number; id: string }, b: { sort: number; id: string }): number =>
        sign * (a.sort - b.sort || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
      return all(collection)
        .filter((row) => address === undefined || row.address === address)
        .filter((row) => where === undefined || row.index[where.column] === where.equals)
        .filter((row) => after === undefined || compared(row, after) > 0)
        .sort(compared)
        .slice(0, limit);
    },
  };
  return { rows } as unknown as Pick<Cluster, 'rows'>;
}

function textOf(body: Json): string {
  return JSON.stringify(body);
}
