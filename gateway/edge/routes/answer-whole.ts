import type { ServerResponse } from 'node:http';
import type { ReplyHead } from '../../dialects/reply/reply-head.ts';
import type { Departure } from '../../inference/departure.ts';
import { runTurn } from '../../inference/run-turn.ts';
import type { RunningTurn } from '../../inference/running-turn.ts';
import { settleTurn } from '../../inference/settle-turn.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import { unavailable } from '../../terms/unavailable.ts';
import { headerText } from '../header-text.ts';
import { cutSlowReader } from '../http/cut-slow-reader.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { generationHeaders } from '../http/generation-headers.ts';
import { writeAnswer } from '../http/write-answer.ts';
import type { RequestContext } from '../request-context.ts';
import type { EdgeServices } from '../services.ts';
import type { AcceptedTurn } from './accepted-turn.ts';

/**
 * A turn answered in one piece, in whatever dialect. The charge is recorded before a byte of it leaves; where that cannot
 * be done now, the reply goes without `usage` and the charge follows in the background. (spec: inference, Chat completion
 * reply, Chat stream 3)
 */
export async function answerWhole(routes: EdgeRoutes, turn: AcceptedTurn, context: RequestContext): Promise<null> {
  const { services, turns } = routes;
  const { response } = context;
  const ending = new Ending(turn.signal);
  response.on('close', ending.left);
  const closeTurn = turns.open(ending.cut);
  let running: RunningTurn | null = null;
  try {
    running = await runTurn(services.inference, turn);
    // Waited for here and not in functions of their own: a promise less for each (measured: 0.5 us).
    let events: readonly TurnEvent[] = NOTHING;
    for (let read = await running.read(); read !== null; read = await running.read()) {
      events = events.length === 0 ? read : events.concat(read);
    }
    const last = events.at(-1);
    if (last?.type === 'error') throw last.error;
    const receipt = await running.receipt;
    const charged = await settleTurn(services.inference, turn, receipt);
    if (charged === null) turns.settledLater++;
    const { provider, model, created, honoured } = running;
    const head = { id: turn.generation, created, model, provider };
    const closing = charged === null ? null : { usage: receipt.usage, cost: charged.cost, honoured };
    send(services, response, head, turn.dialect.whole(head, events, closing));
    return null;
  } catch (thrown) {
    throw running === null ? reasonOf(thrown, ending, routes, context) : thrown;
  } finally {
    closeTurn();
  }
}

const NOTHING: readonly TurnEvent[] = [];

function send(services: EdgeServices, response: ServerResponse, { id, provider }: ReplyHead, body: string): void {
  cutSlowReader(response, body, services.clock, services.limits);
  if (services.crashPoint) response.once('finish', () => services.crashPoint?.('reply.sent'));
  const headers = generationHeaders(id);
  headers.push('x-provider-name', headerText(provider), 'content-type', 'application/json; charset=utf-8');
  writeAnswer(response, 200, headers, body);
}

/** Why a turn never ran, as its caller is told. */
function reasonOf(thrown: unknown, ending: Ending, routes: EdgeRoutes, context: RequestContext): unknown {
  if (ending.by === 'caller') return new CallerLeft();
  if (ending.by === 'node') return unavailable('the node is restarting');
  if (thrown instanceof GatewayError) routes.authentication.learn(context, thrown);
  return thrown;
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
