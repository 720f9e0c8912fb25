/** Whether a request looks like one that was charged twice. */
import { ownerOf, type RowReader } from '../../../actors/runtime/index.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';

/** Requests of one key that begin within this time of each other. */
const NEAR_MS = 10_000;
/** The nearest requests of the account that are compared, before and after. */
const COMPARED_MAX = 200;

/** Charged requests of the same key, model and size shortly before or after. */
export async function repeatsOf(rows: Pick<RowReader, 'rows'>, row: Generation): Promise<readonly string[]> {
  if (row.settlement === null) return [];
  const { createdAt: sort, generation: id, key } = row;
  const query = {
    collection: 'generation',
    address: accountAddress(ownerOf(key)),
    after: { sort, id },
    limit: COMPARED_MAX,
  } as const;
  const read = [rows.rows({ ...query, order: 'ascending' }), rows.rows({ ...query, order: 'descending' })];
  const near = (await Promise.all(read)).flat().map(({ body }) => JSON.parse(body) as Generation);
  return near.filter((one) => isAlike(one, row)).map((one) => hintOf(one, row));
}

function isAlike(one: Generation, row: Generation): boolean {
  return (
    one.settlement !== null &&
    one.key === row.key &&
    one.model === row.model &&
    Math.abs(one.createdAt - row.createdAt) <= NEAR_MS &&
    one.settlement.promptTokens === row.settlement?.promptTokens
  );
}

function hintOf(one: Generation, row: Generation): string {
  const seconds = (Math.abs(one.createdAt - row.createdAt) / 1_000).toFixed(1);
  const when = one.createdAt < row.createdAt ? 'earlier' : 'later';
  const size = `${row.settlement?.promptTokens ?? 'an unknown number of'} prompt tokens`;
  return `Charged twice? ${one.generation} of the same key and model, with ${size} too, was charged ${one.settlement?.cost} USD ${seconds} s ${when}.`;
}
