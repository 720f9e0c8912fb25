/**
 * Connects a CLI command to a running cluster: calls the first node that answers. A command may be repeated on the next
 * node, so its changes carry natural ids.
 */
import {
  AskError,
  type Cluster,
  type ClusterView,
  parseAddress,
  systemClock,
  systemRandom,
} from '../../../../actors/runtime/index.ts';
import { connectOperator, type OperatorClient, OperatorError } from '../../../../actors/runtime/inspect/client.ts';
import type { ManagementServices } from '../../../management/services.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import { GatewayError } from '../../../terms/gateway-error.ts';
import { ConfigError } from '../../config/config-error.ts';
import { readPems } from '../../config/identity.ts';
import { readPepper } from '../../config/secrets.ts';
import { kindOfId } from '../../find-address.ts';
import type { OperatorAddress } from '../../launcher/connection.ts';
import { absentWords } from './absent.ts';
import type { GlobalOptions } from './command.ts';
import { type FoundCluster, findCluster } from './find-cluster.ts';

export interface Session {
  readonly operator: OperatorClient;
  /** For the typed clients of the kinds: it has `ask`, `rows` and `now`, and nothing else. */
  readonly cluster: Cluster;
  readonly found: FoundCluster;
  /** For what an owner may do as well: the same functions, called over the connection. */
  readonly services: ManagementServices;
}

/** Longest wait for an ask, including a takeover. */
export const ASK_MS = 10_000;
/** A host that is down answers nothing at all; the next node is tried after this time. */
const REACH_MS_MAX = 3_000;

/** Rejects with the error of an unknown account. One that is quarantined exists, and its rows can be read. */
export async function requireAccount({ cluster }: Session, address: string): Promise<void> {
  try {
    await cluster.ask(address, { type: 'account.show' }, { withinMs: ASK_MS });
  } catch (error) {
    if (!(error instanceof AskError) || error.failure.code !== 'quarantined') throw error;
  }
}

/** Runs a command against the cluster that the options select. @throws ConfigError */
export async function withSession<T>(options: GlobalOptions, run: (session: Session) => Promise<T>): Promise<T> {
  const found = await findCluster(options);
  const { data, token, nodes, names } = found;
  let unreached: OperatorError | null = null;
  for (const node of nodes) {
    const { operator, cluster, close } = await connect(node, token, names);
    try {
      await operator.reach(REACH_MS_MAX);
      return await run({ operator, cluster, found, services: await servicesOf(cluster, found) });
    } catch (error) {
      if (!(error instanceof OperatorError) || !error.unreached) {
        throw (await storeOutage(operator, error)) ?? explained(error, data);
      }
      unreached = error;
    } finally {
      close();
    }
  }
  const others = nodes.length > 1 ? `, nor at ${nodes.slice(0, -1).map(({ grpc }) => grpc)}` : '';
  throw new ConfigError(
    `${unreached?.message ?? 'no node of this cluster serves now'}${others}; the folder is ${data}`,
  );
}

/** With the configuration of the running nodes, for what is made by its defaults. */
export async function withDefaults(session: Session): Promise<ManagementServices> {
  return servicesOf(session.cluster, { ...session.found, config: await runningConfig(session) });
}

/** A file could differ from what runs, and its defaults decide what is kept of requests. @throws ConfigError */
async function runningConfig({ operator, found: { token } }: Session): Promise<ClusterConfig> {
  const { callOperators } = await import('./operator-port.ts');
  const nodes = (await operator.ps()).nodes.filter(({ live }) => live);
  for (const node of nodes) {
    const [answer] = await callOperators([node], token, '/api/config');
    if (answer !== undefined) return (answer as { readonly config: ClusterConfig }).config;
  }
  throw new ConfigError('the operator port of no node answers, so the configured defaults are unknown');
}

async function servicesOf(cluster: Cluster, { config, data }: FoundCluster): Promise<ManagementServices> {
  // Most changes need no pepper, so a host without it can make them.
  const pepper = await readPepper(data).catch((error: unknown) => error);
  return {
    cluster,
    random: systemRandom,
    get pepper() {
      if (pepper instanceof Uint8Array) return pepper;
      throw pepper;
    },
    askMs: ASK_MS,
    config,
  };
}

/**
 * Connects to one node's operator service; if the cluster uses TLS, with the certificate of `node`. `names` are those
 * of all nodes. @throws ConfigError
 */
export async function connect(
  node: OperatorAddress,
  token: string,
  names: readonly string[],
): Promise<{ readonly operator: OperatorClient; readonly cluster: Cluster; close(): void }> {
  const tls = node.tls ? { ...(await readPems(node.tls, 'tls')), names } : undefined;
  const operator = connectOperator(node.grpc, token, { tls });
  const rows: Cluster['rows'] = {
    rows: operator.rows,
    rowById: operator.rowById,
    // Only for collections whose ids belong to one actor each.
    row: async (address, collection, id) => {
      const row = await operator.rowById(collection, id);
      return row?.address === address ? row : null;
    },
  };
  // The rest of a cluster exists within a node only.
  const cluster = { ask: operator.ask, rows, now: () => systemClock.now() } as Partial<Cluster> as Cluster;
  return { operator, cluster, close: () => operator.close() };
}

/** `The nodes run, and the store is out of reach since ...: ...`; null while it answers. */
export function outageWords({ outage }: ClusterView): string | null {
  if (outage === null) return null;
  return `The nodes run, and the store is out of reach since ${new Date(outage.since).toISOString()}: ${outage.why}`;
}

/** Whether a call failed because the store is out of reach of its node, which alone knows. */
async function storeOutage(operator: OperatorClient, error: unknown): Promise<ConfigError | null> {
  if (!mayBeOutage(error)) return null;
  const view = await operator.ps().catch(() => null);
  const words = view && outageWords(view);
  return words ? new ConfigError(words) : null;
}

const SERVER_ERROR = 500;
/** Failures that an actor answers whatever its store does. */
const OF_ACTOR = ['absent', 'finished', 'unhandled', 'rejected', 'quarantined'];

function mayBeOutage(error: unknown): boolean {
  if (error instanceof OperatorError) return !error.unauthenticated;
  if (error instanceof GatewayError) return error.status >= SERVER_ERROR;
  return error instanceof AskError && !OF_ACTOR.includes(error.failure.code);
}

/** Explains a failed ask to the user of the command. */
function explained(error: unknown, data: string): unknown {
  if (error instanceof OperatorError && error.unauthenticated) {
    return new ConfigError(
      `${error.message}: the token of ${data} does not belong to this cluster; copy ${data}/secrets from one of its hosts`,
    );
  }
  if (error instanceof GatewayError) return new ConfigError(refusalWords(error));
  if (!(error instanceof AskError)) return error;
  const { address, failure } = error;
  switch (failure.code) {
    case 'absent':
      return new ConfigError(absentWords(address));
    case 'quarantined':
      return new ConfigError(`${failure.detail}; repair its stored state, then run \`troupe reload\``);
    case 'failed':
    case 'rejected':
      return new ConfigError(unknownActor(failure.detail) ?? `${address}: ${failure.detail}`);
    case 'refused':
      return new ConfigError(`${address}: the store refuses writes now (${failure.detail}); try again later`);
    case 'busy':
      return new ConfigError(`${address} is busy; try again in ${Math.ceil(failure.retryAfterMs / 1_000)} s`);
    case 'expired':
    case 'lost':
      return new ConfigError(
        `${address} did not answer in time; the change may have been made: check before you repeat it`,
      );
    default:
      return new ConfigError(`${address} cannot answer now (${failure.code}); try again`);
  }
}

/** Of an absence its address is known to the operator, who has commands to list what there is. */
function refusalWords({ status, message, detail }: GatewayError): string {
  if (detail === null) return message;
  return status === 404 && (parseAddress(detail) || kindOfId(detail) !== null) ? absentWords(detail) : detail;
}

/** A key of an unknown account, for example: the message that a step sent on reached nobody. */
function unknownActor(detail: string): string | null {
  const end = detail.indexOf(' is absent and ');
  if (end < 0 || !detail.endsWith(' does not create it')) return null;
  return absentWords(detail.slice(detail.lastIndexOf(' ', end - 1) + 1, end));
}
