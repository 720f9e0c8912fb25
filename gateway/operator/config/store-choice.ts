import { join } from 'node:path';
import type { StoreChoice } from '../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../terms/config.ts';
import { ConfigError } from './config-error.ts';

/** The configured store; the address of a database may come from the environment. @throws ConfigError */
export function storeChoice(config: ClusterConfig, env: Readonly<Record<string, string | undefined>>): StoreChoice {
  const { data, runtime, store } = config;
  if (store.kind === 'sqlite') {
    const { storeBusyMs: busyMs, ballastBytes } = runtime;
    return { kind: 'sqlite', path: join(data, 'troupe.db'), busyMs, ballastBytes };
  }
  const url = store.url ?? env[store.urlEnv];
  const keysUrl = store.keysUrl ?? env[store.keysUrlEnv] ?? null;
  if (url) return { kind: 'postgres', url, keysUrl, bounds: store.postgres };
  throw new ConfigError(
    `store.kind is "postgres", and the variable ${store.urlEnv} is not set; set it to the address of the database`,
  );
}
