import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import { gatherAnswer } from '../reply/gather-answer.ts';
import {
  type Closing,
  JSON_REPLY,
  KEEP_ALIVE,
  PROCESSING,
  type ReplyDialect,
  type ReplyHead,
} from '../reply/reply-dialect.ts';
import { usageText } from '../reply/usage-text.ts';
import { membersOf } from '../request/read-members.ts';
import { CompletionFrames } from './frames.ts';
import { parse } from './parse.ts';
import { pathOf } from './path-of.ts';
import { completionRequest } from './request-schema.ts';
import { TokenScores } from './token-scores.ts';

/** Text completions. (rule I62, rule I63, rule I64) */
export const completionDialect: Dialect = {
  members: membersOf(completionRequest),
  parse: (body, session) => {
    const { turn, echo } = parse(body, session);
    return { turn, reply: completionReplyDialect(echo) };
  },
  errorEnvelope: () => standardEnvelope,
};

/** Writes the answer to a text completion. `echo`: text placed before the answer. (rule I62, rule I63, rule I64) */
export function completionReplyDialect(echo: string | null): ReplyDialect {
  return {
    type: JSON_REPLY,
    whole: (head, events, closing) => render(head, events, closing, echo),
    frames: (head) => new CompletionFrames(head, echo),
    processing: PROCESSING,
    keepAlive: KEEP_ALIVE,
    pathOf,
  };
}

/**
 * A whole text completion as JSON text. A refusal is part of the text here; reasoning, calls and media have no
 * counterpart in this dialect. `echo` is placed before the answer. (rule I63, rule I64)
 */
export function render(
  head: ReplyHead,
  events: readonly TurnEvent[],
  closing: Closing | null,
  echo: string | null,
): string {
  const { text, refusal, logprobs, finish } = gatherAnswer(events);
  const before = echo ?? '';
  const scores = logprobs?.content ? new TokenScores(before.length).text(logprobs.content) : 'null';
  const { reason = null, native = null } = finish ?? {};
  const usage = closing === null ? '' : `,"usage":${usageText(closing.usage, closing.cost)}`;
  return `{"id":${JSON.stringify(head.id)},"object":"text_completion","created":${head.created},"model":${JSON.stringify(
    head.model,
  )},"provider":${JSON.stringify(head.provider)},"system_fingerprint":null,"choices":[{"index":0,"text":${JSON.stringify(
    before + (text ?? '') + refusal,
  )},"logprobs":${scores},"finish_reason":${JSON.stringify(reason)},"native_finish_reason":${JSON.stringify(native)}}]${usage}}`;
}
