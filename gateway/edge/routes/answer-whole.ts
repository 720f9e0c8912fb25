import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Departure } from '../../inference/departure.ts';
import { runTurn } from '../../inference/run-turn.ts';
import type { RunningTurn } from '../../inference/running-turn.ts';
import { settleTurn } from '../../inference/settle-turn.ts';
import { unavailable } from '../../inference/unavailable.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import { headerText } from '../header-text.ts';
import { cutSlowReader } from '../http/cut-slow-reader.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { generationHeaders } from '../http/generation-headers.ts';
import { writeAnswer } from '../http/write-answer.ts';
import { CallerLeft } from '../read-body.ts';
import { visitOf } from '../visit.ts';
import type { AcceptedTurn } from './accepted-turn.ts';

/**
 * A turn answered in one piece, in whatever dialect. The charge is recorded before a byte of it leaves; where that cannot
 * be done now, the reply goes without `usage` and the charge follows in the background. (spec: inference, Chat completion
 * reply, Chat stream 3)
 */
export async function answerWhole(
  routes: EdgeRoutes,
  turn: AcceptedTurn,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { services, turns } = routes;
  const ending = new Ending(turn.signal);
  response.on('close', ending.left);
  const closeTurn = turns.open(ending.cut);
  try {
    const running = await begin(routes, turn, request, ending);
    const events = await gather(running);
    const receipt = await running.receipt;
    const charged = await settleTurn(services.inference, turn, receipt);
    if (charged === null) turns.settledLater++;
    const { provider, model, created, honoured } = running;
    const head = { id: turn.generation, created, model, provider };
    const closing = charged === null ? null : { usage: receipt.usage, cost: charged.cost, honoured };
    const body = turn.dialect.whole(head, events, closing);
    cutSlowReader(response, body, services.clock, services.limits);
    if (services.crashPoint) response.once('finish', () => services.crashPoint?.('reply.sent'));
    const headers = generationHeaders(turn.generation);
    headers.push('x-provider-name', headerText(provider), 'content-type', 'application/json; charset=utf-8');
    writeAnswer(response, 200, headers, body);
  } finally {
    closeTurn();
  }
}

/** How a running turn may be ended from outside: by its caller leaving, or by the node that drains. */
class Ending {
  readonly #signal: Departure;
  by: 'caller' | 'node' | null = null;

  constructor(signal: Departure) {
    this.#signal = signal;
  }

  readonly left = (): void => {
    this.by ??= 'caller';
    this.#signal.abort();
  };

  readonly cut = (): void => {
    this.by ??= 'node';
    this.#signal.abort();
  };
}

async function begin(
  { authentication, services }: EdgeRoutes,
  turn: AcceptedTurn,
  request: IncomingMessage,
  ending: Ending,
): Promise<RunningTurn> {
  try {
    return await runTurn(services.inference, turn);
  } catch (thrown) {
    if (ending.by === 'caller') throw new CallerLeft();
    if (ending.by === 'node') throw unavailable('the node is restarting');
    if (thrown instanceof GatewayError) authentication.learn(visitOf(request), thrown);
    throw thrown;
  }
}

async function gather(running: RunningTurn): Promise<readonly TurnEvent[]> {
  let all: readonly TurnEvent[] = [];
  for (let events = await running.read(); events !== null; events = await running.read()) {
    all = all.length === 0 ? events : all.concat(events);
  }
  const last = all.at(-1);
  if (last?.type === 'error') throw last.error;
  return all;
}
