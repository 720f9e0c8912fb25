import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import config from '../../../cluster.config.ts';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { BodyRoom } from '../../../gateway/edge/body/body-room.ts';
import { OpenUploads } from '../../../gateway/edge/body/open-uploads.ts';
import type { EdgeRoutes } from '../../../gateway/edge/edge-routes.ts';
import { beginRequest, type RequestContext } from '../../../gateway/edge/request-context.ts';
import { RunningRequests } from '../../../gateway/edge/running-requests.ts';
import { serve } from '../../../gateway/edge/serve.ts';
import { OpenTurns } from '../../../gateway/edge/turns/open-turns.ts';
import { ClientAddresses } from '../../../gateway/http/client-addresses.ts';
import { HttpRouter } from '../../../gateway/http/http-router.ts';
import { Listener } from '../../../gateway/http/listener.ts';
import { OneAtATime } from '../../../gateway/overload/one-at-a-time.ts';
import { Overload } from '../../../gateway/overload/overload.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { responsesSocketRoute } from '../../../gateway/sockets/responses-socket.ts';
import { RetainedTurns } from '../../../gateway/sockets/retained-turns.ts';
import { TurnSocket } from '../../../gateway/sockets/turn-socket.ts';
import type { EdgeLimits } from '../../../gateway/terms/config.ts';
import type { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { NO_MEASURES } from '../../../gateway/terms/measures.ts';
import { HandClock } from '../../actors/runtime/durable/hand-clock.ts';
import { FakeSocket } from '../http/fake-socket.ts';
import { board, boardEndpoint, stage } from '../inference/stage.ts';

const CALLER = { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' } as const;
const TOKENS_MAX = 20_000;

/** Turns over WebSockets on the edge of one node: real inference and provider, a clock that the test moves. */
export async function openTurnStage(limits: Partial<EdgeLimits> = {}) {
  const simulator = await startSimulator({ name: 'a', keep: true });
  return stageOf(simulator, { ...config.edge, ...limits });
}

function stageOf(simulator: Simulator, limits: EdgeLimits) {
  const clock = new HandClock();
  const endpoint = boardEndpoint('a', simulator.baseUrl, {
    contextLength: TOKENS_MAX * 2,
    maxCompletionTokens: TOKENS_MAX,
  });
  const on = stage({ endpoints: board(endpoint) });
  /** Refuses every frame before its body is read, while it is set. */
  const refusing: { error: GatewayError | null } = { error: null };
  const edge = {
    services: {
      measures: NO_MEASURES,
      ...{ inference: on.services, cluster: on.services.cluster, clock, limits },
      ...{ readiness: () => 'ready' as const, log: { warn: () => {}, error: () => {} } },
    },
    window: { check: () => {}, take: () => ({ resetAt: 0, holder: null }), giveBack: () => {} },
    overload: new Overload(clock, config.overload),
    clients: new ClientAddresses([]),
    authentication: {
      accountOf: () => null,
      enter: (context: RequestContext) => {
        if (refusing.error !== null) throw refusing.error;
        context.caller = CALLER;
        return null;
      },
      count: async () => null,
      remember: () => {},
    },
    turns: new OpenTurns(),
    retained: new RetainedTurns(),
    bodies: new BodyRoom(limits.bodiesBytesMax),
    largeBodies: new OneAtATime(),
    openUploads: new OpenUploads(limits),
    running: new RunningRequests(limits.requestsMax),
    underWay: () => 1,
  } as unknown as EdgeRoutes;

  const listener = new Listener({
    ...{ limits, clock, generation: () => 'gen-1', upgrades: () => true },
    serve: (context) => void serve(context, new HttpRouter([responsesSocketRoute]), edge),
  });
  return {
    ...{ clock, on, edge, refusing, simulator },
    listen: () => listener.listen('127.0.0.1', 0),
    /** A socket whose client the test plays. */
    play(): FakeSocket {
      const socket = new FakeSocket();
      const upgrade = {
        socket: Object.assign(socket.connection, { remoteAddress: '10.0.0.1' }) as unknown as Socket,
        ...{ head: Buffer.alloc(0), adopt: () => {} },
        begin: (request: RequestContext['request'], response: RequestContext['response']) =>
          beginRequest({
            ...{ request, response, id: 'gen-1', credential: { type: 'none' } as never },
            ...{ startedAt: clock.monotonic(), invite: null, upgrade: null },
          }),
      };
      const request = Object.assign(new EventEmitter(), { headers: {}, url: '/responses', socket: upgrade.socket });
      const opening = Object.assign(upgrade.begin(request as never, new EventEmitter() as never), { caller: CALLER });
      new TurnSocket(socket as unknown as WebSocket, { edge, dialect: DIALECTS.responses, opening, upgrade });
      return socket;
    },
    async close(): Promise<void> {
      listener.close();
      await on.end();
      await simulator.close();
    },
  };
}
