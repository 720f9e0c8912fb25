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
  if (url) {
    // The addresses of the configuration itself are validated with it.
    if (store.url === undefined) requireScheme(url, store.urlEnv);
    if (store.keysUrl === undefined && keysUrl !== null) requireScheme(keysUrl, store.keysUrlEnv);
    return { kind: 'postgres', url, keysUrl, bounds: store.postgres };
  }
  throw new ConfigError(
    `store.kind is "postgres", and the variable ${store.urlEnv} is not set; set it to the address of the database`,
  );
}

/** The value is left out of the message: it may hold a password. */
function requireScheme(url: string, variable: string): void {
  if (/^postgres(ql)?:\/\/\S+$/.test(url)) return;
  throw new ConfigError(
    `the variable ${variable} must begin with postgres:// or postgresql://, such as postgres://user:password@host:5432/database`,
  );
}
