/**
 * An account of the demo: created, funded once, with its keys; closed while the cluster has real providers. Every step
 * carries a natural id and may be repeated.
 */
import { createAccount, creditDeposit } from '../../../actors/account/account.ts';
import { changeKey, createKey, showKey } from '../../../actors/key/key.ts';
import { AskError, type Cluster } from '../../../actors/runtime/index.ts';
import { accountAddress, keyAddress, keyDigest, keyHandle, maskKey } from '../../../actors/terms/ids.ts';
import type { Principal } from '../../../actors/terms/principal.ts';
import type { DemoKey, DemoKeys } from './demo-keys.ts';

/** The principal of the changes of a start. */
const LAUNCHER: Principal = { kind: 'system', id: 'launcher' };

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
  await createAccount(cluster, account, keys.name, withinMs);
  const deposit = { id: `dep_${keys.account}`, amount: options.depositUsd, by: LAUNCHER };
  await creditDeposit(cluster, account, deposit, withinMs);
  await openKey(options, keys.api, 'inference');
  await openKey(options, keys.management, 'management');
}

/** Disables the keys that an earlier start has printed. True if one could spend until now. */
export async function closeDemoAccount({
  cluster,
  keys,
  withinMs,
}: Pick<DemoOptions, 'cluster' | 'keys' | 'withinMs'>): Promise<boolean> {
  let couldSpend = false;
  for (const { id } of [keys.api, keys.management]) {
    const address = keyAddress(keys.account, id);
    try {
      const { status } = await showKey(cluster, address, withinMs);
      if (status !== 'active') continue;
      await changeKey(cluster, address, 'disable', withinMs, LAUNCHER);
      couldSpend ||= id === keys.api.id;
    } catch (error) {
      // The database is not the one that the demo ran on.
      if (!(error instanceof AskError) || error.failure.code !== 'absent') throw error;
    }
  }
  return couldSpend;
}

async function openKey(options: DemoOptions, key: DemoKey, kind: 'inference' | 'management'): Promise<void> {
  const made = {
    digest: keyDigest(options.pepper, key.text),
    handle: keyHandle(key.text),
    label: maskKey(key.text),
    name: `${options.keys.name} (${kind})`,
    kind,
    limit: null,
    limitWindow: null,
    expiresAt: null,
    perMinute: options.keys.perMinute,
    by: LAUNCHER,
  };
  const address = keyAddress(options.keys.account, key.id);
  const { created } = await createKey(options.cluster, address, made, options.withinMs);
  if (!created) await changeKey(options.cluster, address, 'enable', options.withinMs, LAUNCHER);
}
