import { join } from 'node:path';
import type { StoreChoice } from '../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { ConfigError } from './config-error.ts';

/** The configured store; the address of a database may come from the environment. @throws ConfigError */
export function storeChoice(config: ClusterConfig, env: Readonly<Record<string, string | undefined>>): StoreChoice {
  const { data, runtime, store } = config;
  if (store.kind === 'sqlite') {
    const { storeBusyMs: busyMs, ballastBytes } = runtime;
    return { kind: 'sqlite', path: join(data, 'troupe.db'), busyMs, ballastBytes };
  }
  const url = store.url ?? env[store.urlEnv];
  if (!url) {
    throw new ConfigError(
      `store.kind is "postgres", and the variable ${store.urlEnv} is not set; set it to the address of the database`,
    );
  }
  // The addresses of the configuration itself are validated with it.
  if (store.url === undefined) requireScheme(url, store.urlEnv);
  const keysUrl = store.keysUrl ?? env[store.keysUrlEnv];
  if (!keysUrl) {
    const keys = { url: urlBeside(url, store.keysUrlEnv), unsetVariable: store.keysUrlEnv };
    return { kind: 'postgres', url, keys, bounds: store.postgres };
  }
  if (store.keysUrl === undefined) requireScheme(keysUrl, store.keysUrlEnv);
  return { kind: 'postgres', url, keys: { url: keysUrl, unsetVariable: null }, bounds: store.postgres };
}

/**
 * The sealing keys in a database of their own on the store's server: `troupe` has its keys in `troupe_keys`. The operator
 * creates it, which says that no copy of the whole server is kept; the key store refuses a server that archives its log
 * or has a replica.
 */
function urlBeside(url: string, variable: string): string {
  if (!URL.canParse(url)) {
    throw new ConfigError(`the variable ${variable} is not set; set it to the address of a database of sealing keys`);
  }
  const beside = new URL(url);
  // Without a name, a database is called like its user.
  beside.pathname = `${beside.pathname.replace(/^\/?$/, `/${beside.username || 'troupe'}`)}_keys`;
  return beside.href;
}

/** The value is left out of the message: it may hold a password. */
function requireScheme(url: string, variable: string): void {
  if (/^postgres(ql)?:\/\/\S+$/.test(url)) return;
  throw new ConfigError(
    `the variable ${variable} must begin with postgres:// or postgresql://, such as postgres://user:password@host:5432/database`,
  );
}
