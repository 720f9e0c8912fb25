import type { Dialect } from '../../dialects/dialect.ts';
import { asksStream } from '../../dialects/request/asks-stream.ts';
import { CallerAbort } from '../../inference/caller-abort.ts';
import { startTurn } from '../../inference/start-turn.ts';
import { tracedServices } from '../../inference/traced-services.ts';
import type { TraceSpan } from '../../terms/tracing.ts';
import type { EdgeRoutes } from '../edge-routes.ts';
import { callerOf, type RequestContext } from '../request-context.ts';
import { StreamAnswer } from './answer-stream.ts';
import { WholeAnswer } from './answer-whole.ts';
import { readAttribution } from './attribution.ts';
import { readIdempotency } from './idempotency.ts';

/** A request as its dialect parses it: JSON as it was read, or the fields of a form with the files that it brought. */
export interface TurnBody {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * Answers an inference request of an authenticated caller whose body was read, whole or as a stream. Refusals use the
 * dialect's error envelope for this body. A failure before the plan exists is counted when it is refused; afterwards
 * the admit has counted the request. Not async: an async frame that awaits the answer would keep the parsed body alive
 * for as long.
 */
export function answerTurn(
  untraced: EdgeRoutes,
  dialect: Dialect,
  context: RequestContext,
  { value, bytes }: TurnBody,
): Promise<null> {
  const routes = context.span === null ? untraced : traced(untraced, context.span);
  const streamed = asksStream(value);
  context.errorEnvelope = dialect.errorEnvelope(streamed);
  const { headers } = context.request;
  const session = headers['x-session-id'];
  const idempotency = readIdempotency(context, routes.services.pepper);
  const signal = new CallerAbort();
  const answer = streamed ? new StreamAnswer(routes, context, signal) : new WholeAnswer(routes, context, signal);
  const starting = startTurn(routes.services.inference, {
    dialect,
    body: value,
    bytes,
    session: typeof session === 'string' ? session : null,
    generation: context.id,
    caller: callerOf(context),
    attribution: readAttribution(headers),
    idempotency,
    startedAt: context.startedAt,
    signal,
    isCounted: context.counted,
    onHeld: () => context.place?.leave(),
    onAccepted: (request) => {
      context.counted = true;
      answer.accept(request);
    },
  });
  return answer.send(starting);
}

function traced(routes: EdgeRoutes, span: TraceSpan): EdgeRoutes {
  const { services } = routes;
  return { ...routes, services: { ...services, inference: tracedServices(services.inference, span) } };
}
