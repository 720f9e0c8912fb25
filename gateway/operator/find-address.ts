/**
 * Finds the actor that an id names without its account. Every job, file, delivery, workspace, key, deposit and generation has a
 * row in the store that can be looked up by its id alone, in one index of either store; no actor is asked.
 */
import { CREDENTIAL_KEY } from '../../actors/key/credential.ts';
import { parseAddress, type RowReader } from '../../actors/runtime/index.ts';
import { accountAddress, endpointAddress } from '../../actors/terms/ids.ts';
import { isPaymentDepositId, paymentAddress } from '../../actors/terms/payment.ts';
import { WORKSPACE } from '../../actors/workspace/workspace-state.ts';

type Rows = Pick<RowReader, 'rows' | 'rowById'>;

interface NamedBy {
  /** In words, for messages. */
  readonly what: string;
  readonly find: (rows: Rows, id: string) => Promise<string | null> | string;
}

const byRow =
  (collection: string): NamedBy['find'] =>
  async (rows, id) =>
    (await rows.rowById(collection, id))?.address ?? null;

/** By the beginning of the id. A generation or a credited deposit is a row of its account and has no actor of its own. */
const PREFIXES: Readonly<Record<string, NamedBy>> = {
  acct_: { what: 'account', find: (_, id) => accountAddress(id) },
  ep_: { what: 'endpoint', find: (_, id) => endpointAddress(id) },
  batch_: { what: 'batch', find: byRow('batch') },
  vjob_: { what: 'video job', find: byRow('job') },
  file_: { what: 'file', find: byRow('file') },
  evt_: { what: 'webhook', find: byRow('delivery') },
  ws_: { what: 'workspace', find: byRow(WORKSPACE) },
  'gen-': { what: 'generation', find: byRow('generation') },
  dep_: { what: 'deposit', find: depositById },
  key_: { what: 'key', find: keyById },
};

/** What the id names; null for a text that is no such id. */
export function kindOfId(text: string): string | null {
  return namedBy(text)?.what ?? null;
}

/** The address itself, or that of the actor which the id names. Null: nothing has this id, or the text is neither. */
export async function findAddress(rows: Rows, text: string): Promise<string | null> {
  if (parseAddress(text) !== null) return text;
  return (await namedBy(text)?.find(rows, text)) ?? null;
}

function namedBy(text: string): NamedBy | undefined {
  const [, prefix] = /^([a-z]+[_-])[\w-]+$/.exec(text) ?? [];
  return prefix === undefined ? undefined : PREFIXES[prefix];
}

/** Of a payment that was not credited, the payment; its address holds the whole id. */
async function depositById(rows: Rows, id: string): Promise<string | null> {
  const credited = await rows.rowById('deposit', id);
  return credited?.address ?? (isPaymentDepositId(id) ? paymentAddress(id) : null);
}

/** The credential of a key is stored under the key's digest; a column of it has the id. */
async function keyById(rows: Rows, id: string): Promise<string | null> {
  const where = { column: CREDENTIAL_KEY, equals: id } as const;
  const [row] = await rows.rows({ collection: 'credential', where, limit: 1 });
  return row?.address ?? null;
}
