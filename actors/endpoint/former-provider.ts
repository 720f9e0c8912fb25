/**
 * The provider of a withdrawn endpoint: a row, written in the commit that withdraws it, because its charges are still
 * earned by that provider.
 */
import type { Cluster, Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { endpointAddress } from '../terms/ids.ts';
import type { EndpointRecord } from './record.ts';

export const FORMER_COLLECTION = 'former';

interface FormerProvider {
  readonly slug: string;
}

export const formerCollection: Collection = { sort: () => 0 };

/** From the state before the withdrawal. */
export function keepProvider({ declaration }: EndpointRecord): readonly Effect[] {
  if (declaration === null) return [];
  const body = plain({ slug: declaration.provider.slug } satisfies FormerProvider);
  return [{ type: 'put', collection: FORMER_COLLECTION, id: 'provider', body }];
}

/** The slug; null where no build that keeps it has withdrawn the endpoint. */
export async function formerProvider({ rows }: Pick<Cluster, 'rows'>, endpoint: string): Promise<string | null> {
  const query = { collection: FORMER_COLLECTION, address: endpointAddress(endpoint), limit: 1 };
  const [row] = await rows.rows(query);
  return row === undefined ? null : (JSON.parse(row.body) as FormerProvider).slug;
}
