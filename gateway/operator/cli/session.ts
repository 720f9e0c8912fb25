/**
 * A CLI command's way into a running cluster: finds it through `<data>/connection.json` and speaks to the first of its
 * nodes that answers. A command may be repeated on the next node, so what it asks for carries natural ids.
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
  /** For the typed clients of the kinds, which ask and nothing else. */
  readonly cluster: Cluster;
  readonly connection: ConnectionInfo;
  readonly data: string;
}

/** How long an ask may wait, through a takeover. */
export const ASK_MS = 10_000;

/** @throws Fault */
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

/** One node's operator service; where the cluster speaks TLS, with that node's own certificate. @throws Fault */
export async function connect(
  node: OperatorAddress,
  token: string,
  nodes: readonly { readonly name: string }[],
): Promise<{ readonly operator: OperatorClient; readonly cluster: Cluster; close(): void }> {
  const names = nodes.map(({ name }) => name);
  const tls = node.tls ? { ...(await readPems(node.tls, 'tls')), names } : undefined;
  const operator = connectOperator(node.grpc, token, { tls });
  // The kinds' clients take a cluster and use its `ask`; that is all there is of it outside of a node.
  const cluster = { ask: operator.ask } as Partial<Cluster> as Cluster;
  return { operator, cluster, close: () => operator.close() };
}

function isUnreached(error: OperatorError): boolean {
  return /^no node answers at /.test(error.message);
}

/** Failures of an ask, in words for the person who typed the command. */
function explained(error: unknown): unknown {
  if (error instanceof OperatorError && error.unauthenticated) {
    return new ConfigError(
      `${error.message}: the operator token of connection.json is not the one of this cluster; was the folder copied?`,
    );
  }
  if (!(error instanceof AskError)) return error;
  const { address, failure } = error;
  switch (failure.code) {
    case 'absent':
      return new ConfigError(`there is no ${address}; check the id`);
    case 'quarantined':
      return new ConfigError(`${failure.detail}; mend what is stored, then \`troupe reload\` it`);
    case 'failed':
    case 'rejected':
      return new ConfigError(`${address}: ${failure.detail}`);
    case 'refused':
      return new ConfigError(`${address}: the store takes no writes now (${failure.detail}); repeat it later`);
    case 'busy':
      return new ConfigError(`${address} is busy; repeat it in ${Math.ceil(failure.retryAfterMs / 1_000)} s`);
    case 'expired':
    case 'lost':
      return new ConfigError(
        `${address} did not answer in time; the change may have been made: look before you repeat it`,
      );
    default:
      return new ConfigError(`${address} cannot answer this now (${failure.code}); repeat it`);
  }
}
