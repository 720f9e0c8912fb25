/** The demo account: created, funded once, with its keys. Every step carries a natural id and may be repeated. */
import { createAccount, creditDeposit } from '../../../actors/account/account.ts';
import { createKey } from '../../../actors/key/key.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { accountAddress, keyAddress, keyDigest, maskKey } from '../../../actors/terms/ids.ts';
import type { DemoKey, DemoKeys } from './demo-keys.ts';

export interface DemoOptions {
  readonly cluster: Cluster;
  readonly keys: DemoKeys;
  readonly pepper: Uint8Array;
  readonly depositUsd: string;
  readonly withinMs: number;
}

/** Ensures that the account exists, was funded once, and has working keys. */
export async function openDemoAccount(options: DemoOptions): Promise<void> {
  const { cluster, keys, withinMs } = options;
  const account = accountAddress(keys.account);
  await createAccount(cluster, account, 'Demo', withinMs);
  await creditDeposit(cluster, account, { id: 'dep_demo', amount: options.depositUsd }, withinMs);
  await openKey(options, keys.api, 'inference');
  await openKey(options, keys.management, 'management');
}

async function openKey(options: DemoOptions, key: DemoKey, kind: 'inference' | 'management'): Promise<void> {
  const made = {
    digest: keyDigest(options.pepper, key.text),
    label: maskKey(key.text),
    name: `Demo (${kind})`,
    kind,
    limit: null,
    limitWindow: null,
    expiresAt: null,
    perMinute: null,
  };
  await createKey(options.cluster, keyAddress(options.keys.account, key.id), made, options.withinMs);
}
