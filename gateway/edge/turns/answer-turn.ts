import type { Dialect } from '../../dialects/reply/dialect.ts';
import { asksStream } from '../../dialects/request/read-members.ts';
import { startTurn, type TurnArrival } from '../../inference/start-turn.ts';
import { CallerAbort } from '../../inference/turn-request.ts';
import { callerOf, type RequestContext } from '../request-context.ts';
import type { AnswerParts } from './answer-parts.ts';
import { StreamAnswer } from './answer-stream.ts';
import { WholeAnswer } from './answer-whole.ts';
import { readAttribution } from './attribution.ts';
import { readIdempotency } from './idempotency.ts';

/** A request as its dialect parses it: JSON as it was read, or the fields of a form with the files that it brought. */
interface TurnBody {
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
  parts: AnswerParts,
  dialect: Dialect,
  context: RequestContext,
  { value, bytes }: TurnBody,
): Promise<null> {
  const streamed = asksStream(value);
  context.errorEnvelope = dialect.errorEnvelope(streamed);
  const { headers } = context.request;
  const session = headers['x-session-id'];
  const idempotency = readIdempotency(context, parts.pepper);
  const signal = new CallerAbort();
  const answer = streamed ? new StreamAnswer(parts, context, signal) : new WholeAnswer(parts, context, signal);
  const arrival: TurnArrival = {
    bytes,
    generation: context.id,
    caller: callerOf(context),
    attribution: readAttribution(headers),
    idempotency,
    startedAt: context.startedAt,
    signal,
    isCounted: context.counted,
    onHeld: () => context.place?.leave(),
    span: context.span ?? undefined,
    crashPoint: parts.crashPoint,
  };
  const starting = startTurn(parts.inference, arrival, {
    dialect,
    body: value,
    session: typeof session === 'string' ? session : null,
    onAccepted: (request) => {
      context.counted = true;
      answer.accept(request);
    },
  });
  return answer.send(starting);
}
