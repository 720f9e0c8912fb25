/**
 * Connects a CLI command to a running cluster: reads `<data>/connection.json` and calls the first node that answers. A
 * command may be repeated on the next node, so its changes carry natural ids.
 */
import type { Cluster } from '../../../actors/runtime/index.ts';
import { AskError } from '../../../actors/runtime/index.ts';
import { connectOperator, type OperatorClient, OperatorError } from '../../../actors/runtime/inspect/client.ts';
import { ConfigError } from '../config/config-error.ts';
import { readPems } from '../config/identity.ts';
import { type ConnectionInfo, type OperatorAddress, readConnection } from '../launcher/connection.ts';
import { dataFolderOf, type GlobalOptions } from './global-options.ts';

export interface Session {
  readonly operator: OperatorClient;
  /** For the typed clients of the kinds, which use only its `ask`. */
  readonly cluster: Cluster;
  readonly connection: ConnectionInfo;
  readonly data: string;
}

/** Longest wait for an ask, including a takeover. */
export const ASK_MS = 10_000;

/** Runs a command against the cluster of the data folder. @throws ConfigError */
export async function withSession<T>(options: GlobalOptions, run: (session: Session) => Promise<T>): Promise<T> {
  const data = await dataFolderOf(options);
  const connection = await readConnection(data);
  let unreached: OperatorError | null = null;
  for (const node of connection.nodes) {
    const { operator, cluster, close } = await connect(node, connection.operator_token, connection.nodes);
    try {
      return await run({ operator, cluster, connection, data });
    } catch (error) {
      if (!(error instanceof OperatorError) || !isUnreached(error)) throw explained(error);
      unreached = error;
    } finally {
      close();
    }
  }
  throw new ConfigError(`${unreached?.message ?? 'no node of this cluster serves now'}; the folder is ${data}`);
}

/**
 * Connects to one node's operator service; if the cluster uses TLS, with that node's own certificate. @throws
 * ConfigError
 */
export async function connect(
  node: OperatorAddress,
  token: string,
  nodes: readonly { readonly name: string }[],
): Promise<{ readonly operator: OperatorClient; readonly cluster: Cluster; close(): void }> {
  const names = nodes.map(({ name }) => name);
  const tls = node.tls ? { ...(await readPems(node.tls, 'tls')), names } : undefined;
  const operator = connectOperator(node.grpc, token, { tls });
  // The clients of the kinds take a cluster but use only its `ask`, which is all that exists outside a node.
  const cluster = { ask: operator.ask } as Partial<Cluster> as Cluster;
  return { operator, cluster, close: () => operator.close() };
}

function isUnreached(error: OperatorError): boolean {
  return /^no node answers at /.test(error.message);
}

/** Explains a failed ask to the user of the command. */
function explained(error: unknown): unknown {
  if (error instanceof OperatorError && error.unauthenticated) {
    return new ConfigError(
      `${error.message}: the operator token in connection.json does not belong to this cluster; check whether the folder was copied`,
    );
  }
  if (!(error instanceof AskError)) return error;
  const { address, failure } = error;
  switch (failure.code) {
    case 'absent':
      return new ConfigError(`there is no ${address}; check the id`);
    case 'quarantined':
      return new ConfigError(`${failure.detail}; repair its stored state, then run \`troupe reload\``);
    case 'failed':
    case 'rejected':
      return new ConfigError(`${address}: ${failure.detail}`);
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
