/**
 * Finds the nodes that a command may call: those of `<data>/connection.json`, which a launcher or a node on this host
 * writes, then those with fixed operator addresses in the configuration, on any host.
 */
import { accessSync, constants } from 'node:fs';
import type { ClusterConfig, NodeConfig, TlsConfig } from '../../../terms/config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load.ts';
import { readToken } from '../../config/secrets.ts';
import { type ConnectionNode, readConnection } from '../../launcher/connection.ts';
import type { GlobalOptions } from './command.ts';

export interface FoundNode {
  readonly name: string;
  readonly operatorUrl: string;
  /** The files that this host presents to the node. Absent without TLS. */
  readonly tls?: TlsConfig;
}

export interface FoundCluster {
  readonly data: string;
  readonly token: string;
  /** At least one, in the order to try them. */
  readonly nodes: readonly FoundNode[];
  /** The names that certificates of this cluster may carry. */
  readonly names: readonly string[];
}

/** The configuration that the options name. Without the environment: a command must not require the providers' keys. */
export function configOf({ config: file, data }: GlobalOptions): Promise<ClusterConfig> {
  return loadConfig({ file, data, cwd: process.cwd(), env: null });
}

/** @throws ConfigError if no node is known, or no token. */
export async function findCluster(options: GlobalOptions): Promise<FoundCluster> {
  const config = await configOf(options);
  const { data, nodes: configured } = config;
  const connection = await readConnection(data);
  const here = connection?.nodes ?? [];
  const known = here.map(fromConnection).concat(configured.filter(isFixed).map(fromConfig));
  const nodes = known.filter(
    ({ operatorUrl }, at) => known.findIndex((other) => other.operatorUrl === operatorUrl) === at,
  );
  if (nodes.length === 0) {
    throw new ConfigError(
      `no cluster runs on ${data}; start one with \`troupe up --data ${data}\`, name its folder with --data DIR, or give the --config of a cluster on several hosts`,
    );
  }
  return {
    data,
    token: connection?.operator_token ?? (await readToken(data, 'operator')),
    nodes: withIdentity(nodes),
    names: [...new Set([...here, ...configured].map(({ name }) => name))],
  };
}

export function fromConnection({ name, operator_url, tls }: ConnectionNode): FoundNode {
  return { name, operatorUrl: operator_url, ...(tls ? { tls } : {}) };
}

function fromConfig({ name, operator, tls }: NodeConfig): FoundNode {
  return { name, operatorUrl: `${tls ? 'https' : 'http'}://${operator}`, ...(tls ? { tls } : {}) };
}

/** False where the configuration leaves the port open. */
function isFixed({ operator }: NodeConfig): boolean {
  return !/:0+$/.test(operator);
}

/** Each host has the files of its own node only; every node admits any certificate of its cluster. */
function withIdentity(nodes: readonly FoundNode[]): readonly FoundNode[] {
  const own = nodes.find(({ tls }) => tls && isReadable(tls))?.tls;
  return own ? nodes.map((node) => (node.tls ? { ...node, tls: own } : node)) : nodes;
}

function isReadable({ ca, certificate, key }: TlsConfig): boolean {
  try {
    for (const file of [ca, certificate, key]) accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
