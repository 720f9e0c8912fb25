import type { TurnEvent } from '../../terms/turn-event.ts';
import { gatherAnswer } from '../reply/gather-answer.ts';
import type { Closing } from '../reply/reply-dialect.ts';
import type { ReplyHead } from '../reply/reply-head.ts';
import { usageText } from '../reply/usage-text.ts';
import { TokenScores } from './token-scores.ts';

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
