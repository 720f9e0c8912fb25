import { createAccount, creditDeposit } from '../../actors/account/account.ts';
import { createKey } from '../../actors/key/key.ts';
import { type Cluster, systemRandom } from '../../actors/runtime/index.ts';
import { connectOperator } from '../../actors/runtime/inspect/client.ts';
import {
  accountAddress,
  accountId,
  depositId,
  keyAddress,
  keyDigest,
  keyId,
  keyText,
  maskKey,
} from '../../actors/terms/ids.ts';
import { readPepper } from '../../gateway/operator/config/secrets.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import type { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import type { Payer } from './workload.ts';

const ASK_MS = 20_000;

/** Opens accounts with a deposit and one key each, over the operator service, as the command line does. */
export async function openAccounts(
  cluster: LaunchedCluster,
  count: number,
  depositUsd: string,
): Promise<readonly Payer[]> {
  const connection = cluster.connection();
  const node = connection?.nodes[0];
  if (!connection || !node) throw new Error('no node serves');
  const operator = connectOperator(node.grpc, connection.operator_token);
  const asks = { ask: operator.ask } as Partial<Cluster> as Cluster;
  const pepper = await readPepper(cluster.data);
  try {
    return await Promise.all(Array.from({ length: count }, () => openAccount(asks, pepper, depositUsd)));
  } finally {
    operator.close();
  }
}

async function openAccount(cluster: Cluster, pepper: Uint8Array, depositUsd: string): Promise<Payer> {
  const id = accountId(systemRandom);
  const account = accountAddress(id);
  const key = keyText(systemRandom);
  await createAccount(cluster, account, 'chaos', ASK_MS);
  await creditDeposit(cluster, account, { id: depositId(systemRandom), amount: depositUsd }, ASK_MS);
  const made = {
    digest: keyDigest(pepper, key),
    label: maskKey(key),
    name: 'chaos',
    kind: 'inference',
    limit: null,
    limitWindow: null,
    expiresAt: null,
    perMinute: null,
  } as const;
  await createKey(cluster, keyAddress(id, keyId(systemRandom)), made, ASK_MS);
  return { account, key };
}

/** The digits exactly as the API wrote them. */
export async function creditsOf(cluster: LaunchedCluster, payer: Payer): Promise<Evidence['credits'][number]> {
  const response = await fetch(`${cluster.baseUrl}/credits`, { headers: { authorization: `Bearer ${payer.key}` } });
  const text = await response.text();
  const digits = (member: string): string => {
    const found = new RegExp(`"${member}":\\s*"?(-?[0-9.]+(?:[eE][+-]?\\d+)?)`).exec(text)?.[1];
    if (found === undefined) throw new Error(`/credits answered ${response.status} ${text.slice(0, 300)}`);
    return found;
  };
  return { account: payer.account, deposited: digits('total_credits'), used: digits('total_usage') };
}
