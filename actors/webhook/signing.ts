/** The kind that keeps the versions of signing secrets, one actor per account, and its client functions. */
import type { Cluster, Json, Kind } from '../runtime/index.ts';
import { ask } from '../terms/chart-tools.ts';
import { EVERY_STEP } from '../terms/history.ts';
import { signingAddress } from '../terms/ids.ts';
import { SIGNING, type SigningRecord, type SigningState, signingMachine } from './signing.machine.ts';

export const signingKind: Kind = {
  name: SIGNING,
  machine: signingMachine,
  version: 1,
  creates: ['secret.mint', 'secret.rotate'],
  finishes: [],
  volatile: [],
  collections: { [SIGNING]: { sort: (row: SigningRecord) => row.current.version } },
  history: EVERY_STEP,
  explain: ({ context, now }) => {
    const { signing } = context as unknown as SigningState;
    if (signing === null) return ['The signing secret is being minted.'];
    const { current, previous } = signing;
    const since = new Date(current.mintedAt).toISOString();
    const signs = `Webhooks are signed with version ${current.version}, minted ${since}.`;
    if (previous === null || previous.validUntil <= now) return [signs];
    return [signs, `Version ${previous.version} signs beside it until ${new Date(previous.validUntil).toISOString()}.`];
  },
  redact: (context: Json) => context,
};

/** The versions of an account's secret; null before its first one is minted. */
export async function findSigning(cluster: Cluster, account: string): Promise<SigningRecord | null> {
  const row = await cluster.rows.row(signingAddress(account), SIGNING, SIGNING);
  return row === null ? null : (JSON.parse(row.body) as SigningRecord);
}

/** Mints the next version, or the first one. `request` is the natural id: its repeat does not rotate again. */
export async function rotateSigning(
  cluster: Cluster,
  account: string,
  { request, overlapMs, withinMs }: { readonly request: string; readonly overlapMs: number; readonly withinMs: number },
): Promise<SigningRecord> {
  const event = { type: 'secret.rotate', request, overlapMs };
  return ask<SigningRecord>(cluster, signingAddress(account), event, withinMs);
}
