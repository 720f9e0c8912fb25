import type { Dialect } from '../../dialects/dialect.ts';
import { asksStream } from '../../dialects/request/asks-stream.ts';
import { CallerAbort } from '../../inference/caller-abort.ts';
import { startTurn } from '../../inference/start-turn.ts';
import type { EdgeRoutes } from '../http/edge-routes.ts';
import { callerOf, type RequestContext, takeBody } from '../request-context.ts';
import { StreamAnswer } from './answer-stream.ts';
import { WholeAnswer } from './answer-whole.ts';
import { readAttribution } from './attribution.ts';

/**
 * Answers a request for inference whose caller was let in and whose body was read, in one piece or as a stream. Every
 * refusal is written in the envelope that the dialect has for this body. A failure before the plan stands is counted when
 * it is refused; from then on the admit has counted the request. Not async: a frame that waits for the answer would keep
 * the parsed body alive as long.
 */
export function answerTurn(routes: EdgeRoutes, dialect: Dialect, context: RequestContext): Promise<null> {
  const { value, bytes } = takeBody(context);
  const streamed = asksStream(value);
  context.errorEnvelope = dialect.errorEnvelope(streamed);
  const { headers } = context.request;
  const session = headers['x-session-id'];
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
    startedAt: context.startedAt,
    signal,
    onAccepted: (request) => {
      context.counted = true;
      answer.accept(request);
    },
  });
  return answer.send(starting);
}
