import type { RowRecord } from '../../actors/runtime/index.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { absent } from '../terms/gateway-error.ts';
import type { ManagementServices } from './services.ts';

const GENERATION = 'generation';
/** Longer ids are not looked up. */
export const GENERATION_ID_CHARACTERS_MAX = 96;

interface FoundGeneration {
  /** Address of its account. */
  readonly account: string;
  readonly generation: Generation;
}

/**
 * A generation by its id, from the moment its hold is written. `account` is an address; null finds those of every
 * account, for the operator. Throws 404, the same for an unknown id and for one of another account.
 */
export async function requireGeneration(
  { cluster }: Pick<ManagementServices, 'cluster'>,
  account: string | null,
  id: string,
): Promise<FoundGeneration> {
  const found = await findGeneration({ cluster }, account, id);
  if (found === null) throw absent('Generation not found', id);
  return found;
}

/** As `requireGeneration`; null for one without a record. */
export async function findGeneration(
  { cluster }: Pick<ManagementServices, 'cluster'>,
  account: string | null,
  id: string,
): Promise<FoundGeneration | null> {
  const isLookedUp = id.length <= GENERATION_ID_CHARACTERS_MAX;
  const row = isLookedUp ? await rowOf(cluster, account, id) : null;
  return row === null ? null : { account: row.address, generation: JSON.parse(row.body) as Generation };
}

function rowOf({ rows }: ManagementServices['cluster'], account: string | null, id: string): Promise<RowRecord | null> {
  return account === null ? rows.rowById(GENERATION, id) : rows.row(account, GENERATION, id);
}
