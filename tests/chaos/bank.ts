import { createAccount, creditDeposit } from '../../actors/account/account.ts';
import { changeKey, createKey } from '../../actors/key/key.ts';
import { type Cluster, ownerOf, systemRandom } from '../../actors/runtime/index.ts';
import { connectOperator } from '../../actors/runtime/inspect/client.ts';
import {
  accountAddress,
  accountId,
  depositId,
  keyAddress,
  keyDigest,
  keyHandle,
  keyId,
  keyText,
  maskKey,
} from '../../actors/terms/ids.ts';
import { readPepper } from '../../gateway/operator/config/secrets.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { paced } from '../support/pace.ts';
import { TESTER } from '../support/tester.ts';
import { creditsIn } from './read-work.ts';
import type { Payer } from './workload.ts';

const ASK_MS = 20_000;

/** Opens accounts with a deposit and one key each, over the operator service, as the command line does. */
export async function openAccounts(
  launched: LaunchedCluster,
  count: number,
  depositUsd: string,
  name = 'chaos',
): Promise<readonly Payer[]> {
  const pepper = await readPepper(launched.data);
  return operate(launched, (cluster) =>
    Promise.all(Array.from({ length: count }, () => openAccount(cluster, pepper, { name, depositUsd }))),
  );
}

/** A further key of an account. */
export interface OpenedKey {
  readonly payer: Payer;
  readonly disable: () => Promise<void>;
}

/** A management key of each account. */
export async function openManagers(launched: LaunchedCluster, payers: readonly Payer[]): Promise<readonly Payer[]> {
  const pepper = await readPepper(launched.data);
  return operate(launched, (cluster) =>
    Promise.all(
      payers.map(async ({ account }) => ({ account, key: (await addKey(cluster, pepper, account, 'management')).key })),
    ),
  );
}

/** Credits an account as an operator does; rejects where no node answers. The same id is credited once. */
export async function deposit(
  launched: LaunchedCluster,
  { account, id, amount }: { readonly account: string; readonly id: string; readonly amount: string },
): Promise<void> {
  await operate(launched, (cluster) => creditDeposit(cluster, account, { id, amount, by: TESTER }, paced(ASK_MS)));
}

export async function openKey(launched: LaunchedCluster, account: string): Promise<OpenedKey> {
  const pepper = await readPepper(launched.data);
  const { key, address } = await operate(launched, (cluster) => addKey(cluster, pepper, account));
  const disable = async (): Promise<void> => {
    await operate(launched, (cluster) => changeKey(cluster, address, 'disable', paced(ASK_MS), TESTER));
  };
  return { payer: { account, key }, disable };
}

async function operate<T>(launched: LaunchedCluster, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  const connection = launched.connection();
  // Any node, so that repeats of a change arrive at several.
  const node = connection?.nodes[Math.floor(Math.random() * connection.nodes.length)];
  if (!connection || !node) throw new Error('no node serves');
  const operator = connectOperator(node.grpc, connection.operator_token);
  try {
    return await work({ ask: operator.ask } as Partial<Cluster> as Cluster);
  } finally {
    operator.close();
  }
}

async function openAccount(
  cluster: Cluster,
  pepper: Uint8Array,
  { name, depositUsd: amount }: { readonly name: string; readonly depositUsd: string },
): Promise<Payer> {
  const account = accountAddress(accountId(systemRandom));
  await createAccount(cluster, account, name, paced(ASK_MS));
  await creditDeposit(cluster, account, { id: depositId(systemRandom), amount, by: TESTER }, paced(ASK_MS));
  const { key } = await addKey(cluster, pepper, account);
  return { account, key };
}

async function addKey(
  cluster: Cluster,
  pepper: Uint8Array,
  account: string,
  kind: 'inference' | 'management' = 'inference',
): Promise<{ readonly key: string; readonly address: string }> {
  const key = keyText(systemRandom);
  const made = {
    digest: keyDigest(pepper, key),
    handle: keyHandle(key),
    label: maskKey(key),
    name: 'chaos',
    kind,
    limit: null,
    limitWindow: null,
    expiresAt: null,
    perMinute: null,
    by: TESTER,
  } as const;
  const address = keyAddress(ownerOf(account), keyId(systemRandom));
  await createKey(cluster, address, made, paced(ASK_MS));
  return { key, address };
}

/** The digits exactly as the API wrote them. */
export async function creditsOf(cluster: LaunchedCluster, payer: Payer): Promise<Evidence['credits'][number]> {
  const response = await fetch(`${cluster.baseUrl}/credits`, { headers: { authorization: `Bearer ${payer.key}` } });
  const text = await response.text();
  const read = creditsIn(text);
  if (read === null) throw new Error(`/credits answered ${response.status} ${text.slice(0, 300)}`);
  return { account: payer.account, ...read };
}
