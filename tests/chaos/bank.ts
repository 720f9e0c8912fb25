import { ownerOf, systemRandom } from '../../actors/runtime/index.ts';
import { accountAddress, accountId, depositId } from '../../actors/terms/ids.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { callOperator } from '../support/operator-calls.ts';
import { creditsIn } from './read-work.ts';
import type { Payer } from './workload.ts';

const REASON = 'chaos';

/** Opens accounts with a deposit and one key each, over the operator API, as the command line does. */
export async function openAccounts(
  launched: LaunchedCluster,
  count: number,
  depositUsd: string,
  name = 'chaos',
): Promise<readonly Payer[]> {
  return Promise.all(Array.from({ length: count }, () => openAccount(launched, { name, depositUsd })));
}

/** A further key of an account. */
export interface OpenedKey {
  readonly payer: Payer;
  readonly disable: () => Promise<void>;
}

/** A management key of each account. */
export async function openManagers(launched: LaunchedCluster, payers: readonly Payer[]): Promise<readonly Payer[]> {
  return Promise.all(
    payers.map(async ({ account }) => ({ account, key: (await addKey(launched, account, 'management')).secret })),
  );
}

/** Credits an account as an operator does; rejects where no node answers. The same id is credited once. */
export async function deposit(
  launched: LaunchedCluster,
  { account, id, amount }: { readonly account: string; readonly id: string; readonly amount: string },
): Promise<void> {
  await operate(launched, `/api/accounts/${ownerOf(account)}/deposit`, { id, usd: amount, reason: REASON });
}

export async function openKey(launched: LaunchedCluster, account: string): Promise<OpenedKey> {
  const { key, secret } = await addKey(launched, account);
  const disable = async (): Promise<void> => {
    await operate(launched, `/api/keys/${encodeURIComponent(key)}`, { change: { disabled: true }, reason: REASON });
  };
  return { payer: { account, key: secret }, disable };
}

/** At any node, so that repeats of a change arrive at several. */
async function operate<T>(launched: LaunchedCluster, path: string, body: object): Promise<T> {
  const connection = launched.connection();
  const node = connection?.nodes[Math.floor(Math.random() * connection.nodes.length)];
  if (!connection || !node) throw new Error('no node serves');
  return callOperator<T>(node, connection.operator_token, path, { body });
}

async function openAccount(
  launched: LaunchedCluster,
  { name, depositUsd: amount }: { readonly name: string; readonly depositUsd: string },
): Promise<Payer> {
  const id = accountId(systemRandom);
  const account = accountAddress(id);
  await operate(launched, '/api/accounts', { id, name, reason: REASON });
  await deposit(launched, { account, id: depositId(systemRandom), amount });
  return { account, key: (await addKey(launched, account)).secret };
}

interface MadeKey {
  /** Its address. */
  readonly key: string;
  readonly secret: string;
}

async function addKey(
  launched: LaunchedCluster,
  account: string,
  kind: 'inference' | 'management' = 'inference',
): Promise<MadeKey> {
  const body = { key: { name: 'chaos', kind }, reason: REASON };
  return (await operate<{ readonly key: MadeKey }>(launched, `/api/accounts/${ownerOf(account)}/keys`, body)).key;
}

/** The digits exactly as the API wrote them. */
export async function creditsOf(cluster: LaunchedCluster, payer: Payer): Promise<Evidence['credits'][number]> {
  const response = await fetch(`${cluster.baseUrl}/credits`, { headers: { authorization: `Bearer ${payer.key}` } });
  const text = await response.text();
  const read = creditsIn(text);
  if (read === null) throw new Error(`/credits answered ${response.status} ${text.slice(0, 300)}`);
  return { account: payer.account, ...read };
}
