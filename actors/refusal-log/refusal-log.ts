/** The kind of the refused requests of an account, and its client functions. */
import type { Cluster, Json, Kind, RowReader, View } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { RefusedRequest } from '../terms/refused-request.ts';
import { REFUSAL_LOG, REFUSALS_MAX, type RefusalLogState, refusalLogMachine } from './refusal-log.machine.ts';

const RETENTION_MS = 30 * 24 * 3_600_000;

export const refusalLogKind: Kind = {
  name: REFUSAL_LOG,
  machine: refusalLogMachine,
  version: 1,
  creates: ['refusal.note'],
  finishes: [],
  volatile: [],
  collections: { [REFUSAL_LOG]: { sort: (body: RefusedRequest) => body.at, retentionMs: RETENTION_MS } },
  explain,
  redact: (context: Json) => context,
};

function explain({ context }: View): readonly string[] {
  const { noted } = context as unknown as RefusalLogState;
  return [`${noted} refused requests of the account were noted; the newest ${REFUSALS_MAX} are kept for 30 days.`];
}

/** Reports refused requests of an account, oldest first, without waiting: a lost report is not repeated. */
export function noteRefused(cluster: Pick<Cluster, 'tell'>, account: string, refused: readonly RefusedRequest[]): void {
  cluster.tell(logOf(account), { type: 'refusal.note', refused: plain(refused) });
}

/** The newest refused requests of an account (its address), newest first. */
export async function listRefused(
  reader: Pick<RowReader, 'rows'>,
  account: string,
): Promise<readonly RefusedRequest[]> {
  const query = { collection: REFUSAL_LOG, address: logOf(account), order: 'descending', limit: REFUSALS_MAX } as const;
  return (await reader.rows(query)).map(({ body }) => JSON.parse(body) as RefusedRequest);
}

function logOf(account: string): string {
  return `${REFUSAL_LOG}:${account.slice('account:'.length)}/newest`;
}
