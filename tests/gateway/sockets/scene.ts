import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { systemRandom } from '../../../actors/runtime/index.ts';
import config from '../../../cluster.config.ts';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import type { Authentication } from '../../../gateway/edge/auth/authentication.ts';
import { edgeListener } from '../../../gateway/edge/edge-listener.ts';
import { beginRequest, type RequestContext } from '../../../gateway/edge/request-context.ts';
import { serve, serveRoute } from '../../../gateway/edge/serve.ts';
import { OpenTurns } from '../../../gateway/edge/turns/open-turns.ts';
import { HttpRouter } from '../../../gateway/http/http-router.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { responsesSocketRoute } from '../../../gateway/sockets/responses-socket.ts';
import { RetainedTurns } from '../../../gateway/sockets/retained-turns.ts';
import { TurnSocket, type TurnSocketParts } from '../../../gateway/sockets/turn-socket.ts';
import type { EdgeLimits } from '../../../gateway/terms/config/config.ts';
import type { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { HandClock } from '../../actors/runtime/durable/hand-clock.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { servingOf } from '../../support/serving.ts';
import { FakeSocket } from '../http/fake-socket.ts';
import { stage } from '../stage.ts';

const CALLER = { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' } as const;
const TOKENS_MAX = 20_000;

/** Turns over WebSockets on the edge of one node: real inference and provider, a clock that the test moves. */
export async function openTurnScene(limits: Partial<EdgeLimits> = {}) {
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
  const cluster = on.cluster;
  const log = { warn: () => {}, error: () => {} };
  const authentication = {
    accountOf: () => null,
    enter: (context: RequestContext) => {
      if (refusing.error !== null) throw refusing.error;
      context.caller = CALLER;
      return null;
    },
    count: async () => null,
    remember: () => {},
  } as unknown as Authentication;
  const turns = new OpenTurns();
  const serving = servingOf({ authentication, limits, clock });
  const { bodies, largeAnswers } = serving;
  const answering = {
    ...{ inference: { ...on.services, clock }, authentication, turns, limits, log, pepper: new Uint8Array(32) },
    ...{ largeAnswers, random: systemRandom, now: cluster.now, crashPoint: undefined },
  };
  const parts: TurnSocketParts = {
    ...{ limits, answering, authentication, bodies, retained: new RetainedTurns() },
    serve: (context, route) => serveRoute(context, route, serving),
  };

  const listener = edgeListener({
    ...{ limits, clock, generation: () => 'gen-1', upgrades: () => true },
    serve: (context) => void serve(context, new HttpRouter([responsesSocketRoute(parts)]), serving),
  });
  return {
    ...{ clock, on, turns, bodies, refusing, simulator },
    listen: () => listener.listen('127.0.0.1', 0),
    /** A socket whose client the test plays. */
    play(): FakeSocket {
      const socket = new FakeSocket();
      const upgrade = {
        socket: Object.assign(socket.connection, { remoteAddress: '10.0.0.1' }) as unknown as Socket,
        ...{ head: Buffer.alloc(0), adopt: () => {} },
        begin: (request: RequestContext['request'], response: RequestContext['response']) =>
          beginRequest({ request, response, startedAt: clock.monotonic(), invite: null, upgrade: null }, 'gen-1', {
            type: 'none',
          }),
      };
      const request = Object.assign(new EventEmitter(), { headers: {}, url: '/responses', socket: upgrade.socket });
      const opening = Object.assign(upgrade.begin(request as never, new EventEmitter() as never), { caller: CALLER });
      new TurnSocket(socket as unknown as WebSocket, { parts, dialect: DIALECTS.responses, opening, upgrade });
      return socket;
    },
    async close(): Promise<void> {
      listener.close();
      await on.end();
      await simulator.close();
    },
  };
}
