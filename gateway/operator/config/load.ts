/**
 * Loads the configuration of a cluster: the default, with `--config FILE` merged over it, then `--data`, `--host` and
 * `--port`.
 * What a file changes is validated as a whole, once; the result is frozen, its data folder and the files of its models
 * documents and data sets are absolute. Every failure is a ConfigError of one line that names file, member and remedy.
 */
import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Retention } from '../../../actors/terms/retention.ts';
import defaults from '../../../cluster.config.ts';
import type { ClusterConfig, NodeConfig } from '../../terms/config/config.ts';
import type { OperatorConfig } from '../../terms/config/operator-config.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { checkDeposits, checkRetention, checkTargets } from './check-together.ts';
import { ConfigError, lineOf } from './config-error.ts';
import { checkInterfaces, isHost } from './interfaces.ts';
import { readKeyFile } from './key-file.ts';
import { isRecord, layOver } from './lay-over.ts';

export interface LoadOptions {
  /** The file given with `--config`; absent: the default configuration. */
  readonly file?: string | undefined;
  /** `--data`, `--host` and `--port`; absent: as configured. */
  readonly data?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The base of relative paths from the command line. */
  readonly cwd: string;
  /** Used only to check that the variables of provider keys are set; null skips that check. */
  readonly env: Readonly<Record<string, string | undefined>> | null;
}

/** Shards partition a 16-bit hash space. */
const SHARDS_MAX = 65_536;
const ADDRESS = /^https?:\/\//;

/** Throws ConfigError for the first violation. */
export async function loadConfig(options: LoadOptions): Promise<ClusterConfig> {
  const file = options.file === undefined ? null : resolve(options.cwd, options.file);
  const source = file ?? 'cluster.config';
  const over = file === null ? {} : await readOver(file);
  const laid = layOver(layOver(defaults, over), given(options));
  // Loaded for a file only: the schemas are a third of the time that a short command takes to load. A test validates
  // the default.
  const rules = file === null ? null : await import('./validate.ts');
  rules?.validate(laid, source);
  const config = addressed(laid as ClusterConfig, rules, source);
  checkTogether(config, source, options.env);
  rules?.validateModels(config.providers, source);
  if (options.env !== null) await checkKeyFiles(config, source, file === null ? options.cwd : dirname(file));
  const folder = file === null ? options.cwd : dirname(file);
  const dataFolder = options.data === undefined && isRecord(over) && 'data' in over ? folder : options.cwd;
  return freeze({
    ...config,
    data: resolve(dataFolder, config.data),
    nodes: config.nodes.map((node) => withTlsPaths(node, folder)),
    benchmarks: {
      ...config.benchmarks,
      datasets: config.benchmarks.datasets.map((path) => resolve(folder, path)),
    },
    providers: config.providers.map((one) => withPaths(one, folder)),
    operator: withOperatorPaths(config.operator, folder),
    retention: withExportPath(config.retention, folder),
  });
}

/** Why this process could not run with a configuration, as one line; null if it could. */
export function configFault(value: unknown, env: NonNullable<LoadOptions['env']>): Promise<string | null> {
  return checkConfig(value, env).then(
    () => null,
    (error: unknown) => {
      if (error instanceof ConfigError) return lineOf(error);
      throw error;
    },
  );
}

/**
 * Checks a whole configuration of absolute paths, from another process, against the variables and files of this one.
 * @throws ConfigError
 */
async function checkConfig(value: unknown, env: NonNullable<LoadOptions['env']>): Promise<void> {
  const source = 'the new configuration';
  const rules = await import('./validate.ts');
  rules.validate(value, source);
  const config = addressed(value as ClusterConfig, rules, source);
  checkTogether(config, source, env);
  rules.validateModels(config.providers, source);
  await checkKeyFiles(config, source, config.data);
  await rules.validateModelFiles(config.providers, source);
}

function addressed(config: ClusterConfig, rules: typeof import('./validate.ts') | null, source: string): ClusterConfig {
  return rules === null ? config : { ...config, providers: rules.withAddresses(config.providers, source) };
}

async function checkKeyFiles(config: ClusterConfig, source: string, folder: string): Promise<void> {
  const { providers, operator } = config;
  for (const [at, { keyFile }] of providers.entries()) {
    if (keyFile !== undefined) await readKeyFile(resolve(folder, keyFile), `${source}: providers[${at}].keyFile`);
  }
  const secret = operator.oidc?.clientSecretFile;
  if (secret !== undefined) await readKeyFile(resolve(folder, secret), `${source}: operator.oidc.clientSecretFile`);
}

function given(options: LoadOptions): unknown {
  return {
    ...(options.data === undefined ? {} : { data: options.data }),
    listen: {
      ...(options.host === undefined ? {} : { host: options.host }),
      ...(options.port === undefined ? {} : { port: options.port }),
    },
  };
}

async function readOver(file: string): Promise<unknown> {
  const over =
    extname(file) === '.json' ? parse(await read(file, 'give --config an existing file'), file) : await load(file);
  if (!isRecord(over))
    throw new ConfigError(`${file}: the value must be an object { ... }, merged over the default configuration`);
  return over;
}

async function read(file: string, remedy: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(
      `${file}: ${missing ? 'there is no such file' : `cannot be read (${lineOf(error)})`}; ${remedy}`,
    );
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file}: is not valid JSON (${lineOf(error)}); correct it there`);
  }
}

async function load(file: string): Promise<unknown> {
  await read(file, 'give --config an existing file');
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: unknown };
    if (module.default !== undefined) return module.default;
  } catch (error) {
    throw new ConfigError(
      `${file}: does not load as an ES module (${lineOf(error)}); use JSON, or a .mjs file with a default export`,
    );
  }
  throw new ConfigError(`${file}: has no default export; write \`export default { ... }\``);
}

/** Rules that involve several members. */
function checkTogether(config: ClusterConfig, source: string, env: LoadOptions['env']): void {
  refuseRepeats(
    source,
    'nodes',
    'name',
    config.nodes.map((node) => node.name),
  );
  refuseRepeats(
    source,
    'providers',
    'slug',
    config.providers.map((provider) => provider.slug),
  );
  checkInterfaces(config.nodes, source);
  const { host } = config.listen;
  if (!isHost(host)) {
    throw new ConfigError(
      `${source}: listen.host is "${host}" and must be an address of this machine, such as 127.0.0.1 or ::, or a host name`,
    );
  }
  const { runtime } = config;
  if (runtime.shards > SHARDS_MAX) {
    throw new ConfigError(`${source}: runtime.shards is ${runtime.shards} and must be at most ${SHARDS_MAX}; lower it`);
  }
  if (runtime.heartbeatMs * 3 > runtime.staleMs) {
    throw new ConfigError(
      `${source}: runtime.staleMs is ${runtime.staleMs} and must be at least three times runtime.heartbeatMs (${runtime.heartbeatMs}), or healthy nodes are voted out; raise it`,
    );
  }
  checkRetention(config.retention, source);
  checkStore(config, source, env);
  checkTargets(config.webhooks, source);
  checkDeposits(config.deposits, source, env);
  config.providers.forEach((provider, at) => {
    const sources = (['apiKeyEnv', 'keyFile', 'keyCommand'] as const).filter((name) => provider[name] !== undefined);
    if (sources.length > 1) {
      throw new ConfigError(`${source}: providers[${at}] has ${sources.join(' and ')}; keep one of them`);
    }
    if (provider.apiKeyEnv === undefined || env === null || env[provider.apiKeyEnv]) return;
    throw new ConfigError(
      `${source}: providers[${at}].apiKeyEnv names ${provider.apiKeyEnv}, which is not set; export ${provider.apiKeyEnv}=... first, or remove the member`,
    );
  });
}

function checkStore({ store }: ClusterConfig, source: string, env: LoadOptions['env']): void {
  const { lockMs, statementMs, answerMs } = store.postgres;
  if (lockMs >= statementMs || statementMs >= answerMs) {
    throw new ConfigError(
      `${source}: store.postgres has lockMs ${lockMs}, statementMs ${statementMs} and answerMs ${answerMs}, and each must be below the next; raise answerMs or lower the others`,
    );
  }
  if (store.kind === 'sqlite' || store.url !== undefined || env === null || env[store.urlEnv]) return;
  throw new ConfigError(
    `${source}: store.kind is "postgres" and neither store.url nor the variable ${store.urlEnv} names a database; export ${store.urlEnv}=postgres://user:password@host:5432/database first`,
  );
}

function refuseRepeats(source: string, list: string, member: string, names: readonly string[]): void {
  names.forEach((name, at) => {
    if (names.indexOf(name) === at) return;
    throw new ConfigError(
      `${source}: ${list}[${at}].${member} is "${name}", which is taken already; give each its own`,
    );
  });
}

/** Paths only: each node reads the files on its own host. */
function withTlsPaths(node: NodeConfig, folder: string): NodeConfig {
  if (!node.tls) return node;
  const { ca, certificate, key } = node.tls;
  return {
    ...node,
    tls: { ca: resolve(folder, ca), certificate: resolve(folder, certificate), key: resolve(folder, key) },
  };
}

/** Files are read, and read anew, on the host of the node. */
function withPaths(provider: ProviderDeclaration, folder: string): ProviderDeclaration {
  const { models, keyFile } = provider;
  return {
    ...provider,
    ...(keyFile === undefined ? {} : { keyFile: resolve(folder, keyFile) }),
    ...(typeof models !== 'string' || ADDRESS.test(models) ? {} : { models: resolve(folder, models) }),
  };
}

function withOperatorPaths({ oidc, builds, ...config }: OperatorConfig, folder: string): OperatorConfig {
  return {
    ...config,
    oidc: oidc === null ? null : { ...oidc, clientSecretFile: resolve(folder, oidc.clientSecretFile) },
    builds: Object.fromEntries(Object.entries(builds).map(([name, build]) => [name, resolve(folder, build)])),
  };
}

function withExportPath(retention: Retention, folder: string): Retention {
  const { export: path } = retention;
  return path === null ? retention : { ...retention, export: resolve(folder, path) };
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}
