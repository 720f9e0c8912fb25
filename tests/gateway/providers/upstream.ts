import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../actors/runtime/index.ts';
import type { TurnDialect } from '../../../actors/terms/endpoint.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import type { Adapter, ProviderAttempt } from '../../../gateway/providers/adapter.ts';
import { open, type RefusalSink } from '../../../gateway/providers/call/open.ts';
import { type Target, targetOf } from '../../../gateway/providers/call/target.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { endpointOf } from '../../support/model/endpoints.ts';
import { UNSHARED } from './played.ts';
import { turnOf } from './scene.ts';

export type Dialect = TurnDialect;

export const LINE_BYTES_MAX = 1024 * 1024;
export const LIMITS = {
  connectMs: 2_000,
  firstByteMs: 5_000,
  idleMs: 5_000,
  totalMs: 20_000,
  bodyBytesMax: 16 * LINE_BYTES_MAX,
};

export const KEY = 'sk-operator-0123456789abcdef';

/** A test provider: records its requests and sends the answers of the test. */
export interface Upstream {
  readonly port: number;
  readonly seen: { readonly request: IncomingMessage; readonly body: string }[];
  answer: (request: IncomingMessage, response: ServerResponse) => void;
  openAs(
    dialect: Dialect | 'embeddings',
    requested?: Partial<Turn>,
    declared?: Parameters<typeof endpointOf>[0],
    refusals?: RefusalSink,
    adapter?: Adapter,
    signer?: Target['signer'],
  ): Promise<ProviderAttempt>;
  close(): Promise<void>;
}

export async function startUpstream(
  clock: ConstructorParameters<typeof Pools>[0]['clock'] = systemClock,
): Promise<Upstream> {
  const outbound = new Pools({
    clock,
    lease: { connected: true },
    connectionsPerOriginMax: 8,
    connectMs: LIMITS.connectMs,
  });
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      upstream.seen.push({ request, body });
      upstream.answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    port,
    seen: [],
    answer: (_, response) => response.end(),
    openAs: (dialect, requested = {}, declared = {}, refusals = undefined, adapter = undefined, signer = null) =>
      open(outbound, {
        target: {
          ...targetOf(
            endpointOf({
              target: { dialect, baseUrl: `http://127.0.0.1:${port}/v1`, upstreamId: 'great-1' },
              ...declared,
            }),
            KEY,
            adapter,
          ),
          ...(signer === null ? {} : { signer }),
        },
        turn: turnOf(requested),
        ceiling: 100,
        generation: 'gen-1',
        limits: LIMITS,
        lineBytesMax: LINE_BYTES_MAX,
        sharing: UNSHARED,
        refusals,
        begun: () => {},
      }),
    close: async () => {
      await outbound.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return upstream;
}
