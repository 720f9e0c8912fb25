/** What a new configuration changes of the one that runs, member by member. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { isRecord } from './lay-over.ts';

export interface Difference {
  /** Such as `rates.keyPerMinute`, or `providers.alpha.baseUrl`. */
  readonly member: string;
  /** Null: absent. */
  readonly from: unknown;
  readonly to: unknown;
}

/** Members that a node cannot take up alone, each with the reason. */
const FIXED: Readonly<Record<string, string>> = {
  nodes: 'nodes keep their names and addresses',
  listen: 'the public port is opened at the start',
  data: 'the data folder belongs to the cluster',
  store: 'the store holds the state of all nodes',
  launcher: 'the launcher reads it at its start',
  demo: 'the simulated providers and the demo account are set up at the start',
  runtime: 'all nodes must share it (shards, heartbeats)',
  rates: 'all nodes must share it',
  workspace: 'all nodes must share it',
};

/** By member, in the order of the configuration. Providers are compared by slug. */
export function differencesOf(running: unknown, next: unknown, within = ''): readonly Difference[] {
  if (isDeepStrictEqual(running, next)) return [];
  const [from, to] = [bySlug(running, within), bySlug(next, within)];
  if (!isRecord(from) || !isRecord(to)) return [{ member: within, from: running ?? null, to: next ?? null }];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) => differencesOf(from[name], to[name], within === '' ? name : `${within}.${name}`));
}

function bySlug(value: unknown, within: string): unknown {
  if (within !== 'providers' || !Array.isArray(value)) return value;
  return Object.fromEntries(value.map((one: { readonly slug: string }) => [one.slug, one]));
}

/** A sentence for each changed section that needs a stop of the whole cluster. */
export function fixedChanges(differences: readonly Difference[]): readonly string[] {
  const sections = new Set(differences.map(({ member }) => member.split('.', 1)[0] as string));
  return [...sections].flatMap((section) => {
    const why = FIXED[section];
    if (why === undefined) return [];
    const members = differences.filter(({ member }) => member === section || member.startsWith(`${section}.`));
    return [`${members.map(({ member }) => member).join(', ')} cannot change while the cluster runs: ${why}`];
  });
}

/** The configuration as operators see it: without the passwords of database addresses. */
export function shownConfig(config: ClusterConfig): ClusterConfig {
  const { store } = config;
  const { url, keysUrl } = store;
  return {
    ...config,
    store: {
      ...store,
      ...(url === undefined ? {} : { url: withoutPassword(url) }),
      ...(keysUrl === undefined ? {} : { keysUrl: withoutPassword(keysUrl) }),
    },
  };
}

function withoutPassword(address: string): string {
  return address.replace(/^(postgres(?:ql)?:\/\/[^:@/]*):[^@]*@/, '$1@').replace(/([?&]password=)[^&]*/g, '$1');
}
