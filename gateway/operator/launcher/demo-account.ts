/**
 * An account of the demo: created, funded once, with its keys; closed while the cluster has real providers. Every step
 * carries a natural id and may be repeated.
 */
import type { KeyView } from '../../../actors/key/statement.ts';
import type { DemoKey, DemoKeys } from './demo-keys.ts';

/** The operator API of the cluster. */
interface OperatorCalls {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
}

const REASON = 'the demo of this start';
const NOT_FOUND = 404;

/** Ensures that the account exists, was funded once with this many USD, and has working keys. */
export async function openDemoAccount(api: OperatorCalls, keys: DemoKeys, depositUsd: string): Promise<void> {
  const { account: id, name } = keys;
  await api.post('/api/accounts', { id, name, reason: REASON });
  await api.post(`/api/accounts/${id}/deposit`, { id: `dep_${id}`, usd: depositUsd, reason: REASON });
  await openKey(api, keys, keys.api, 'inference');
  await openKey(api, keys, keys.management, 'management');
}

/** Disables the keys that an earlier start has printed. True if one could spend until now. */
export async function closeDemoAccount(api: OperatorCalls, keys: DemoKeys): Promise<boolean> {
  let couldSpend = false;
  for (const { id } of [keys.api, keys.management]) {
    try {
      const path = pathOf(keys, id);
      const { status } = await api.get<KeyView>(path);
      if (status !== 'active') continue;
      await api.post(path, { change: { disabled: true }, reason: 'the cluster has real providers' });
      couldSpend ||= id === keys.api.id;
    } catch (error) {
      // The database is not the one that the demo ran on.
      if ((error as { readonly status?: number }).status !== NOT_FOUND) throw error;
    }
  }
  return couldSpend;
}

async function openKey(
  api: OperatorCalls,
  keys: DemoKeys,
  { id, text }: DemoKey,
  kind: 'inference' | 'management',
): Promise<void> {
  const key = { name: `${keys.name} (${kind})`, kind, requests_per_minute: keys.perMinute };
  await api.post(`/api/accounts/${keys.account}/keys`, { key, id, text, reason: REASON });
  const path = pathOf(keys, id);
  const { status } = await api.get<KeyView>(path);
  if (status === 'disabled') await api.post(path, { change: { disabled: false }, reason: REASON });
}

function pathOf({ account }: DemoKeys, key: string): string {
  return `/api/keys/${encodeURIComponent(`${account}/${key}`)}`;
}
