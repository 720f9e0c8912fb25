import type { TurnEvent } from '../../terms/turn-event.ts';
import { type GatheredAnswer, gatherAnswer } from '../reply/gather-answer.ts';
import type { Closing, ReplyHead } from '../reply/reply-dialect.ts';
import { usageText } from '../reply/usage-text.ts';
import { annotationText, audioText, imageText, logprobsText } from './media-text.ts';

/**
 * A whole reply as JSON text: all events of a turn, the reported usage and the exact charge. `closing: null` means that
 * no charge is recorded: then `usage` is left out. `hidden` leaves reasoning out of the reply; it is charged all the
 * same. (rule I45)
 */
export function render(
  head: ReplyHead,
  events: readonly TurnEvent[],
  closing: Closing | null,
  hidden: boolean,
): string {
  const answer = gatherAnswer(events);
  // Ids and finish reasons are generated here and need no JSON escaping.
  const opening = `{"id":"${head.id}","object":"chat.completion","created":${head.created},"model":${JSON.stringify(
    head.model,
  )},"provider":${JSON.stringify(head.provider)},"system_fingerprint":null,"choices":[{"index":0,`;
  const message = `"message":{"role":"assistant",${contentOf(answer)}${besideText(answer, hidden)}}`;
  const logprobs =
    answer.logprobs === null || (hidden && scoresReasoning(answer)) ? 'null' : logprobsText(answer.logprobs);
  const finish = finishText(answer.finish);
  const usage = closing === null ? '' : `,"usage":${usageText(closing.usage, closing.cost)}`;
  return `${opening}${message},"logprobs":${logprobs},${finish}}]${usage}}`;
}

function finishText(finish: GatheredAnswer['finish']): string {
  if (finish === null) return '"finish_reason":null,"native_finish_reason":null';
  const { reason, native } = finish;
  return `"finish_reason":"${reason}","native_finish_reason":${native === null ? 'null' : JSON.stringify(native)}`;
}

/** Scores contain the tokens they score: beside hidden reasoning only scores of the text itself are shown. */
function scoresReasoning({ reasoning, reasoningDetails, logprobs, text }: GatheredAnswer): boolean {
  if (reasoning === '' && reasoningDetails === null) return false;
  const scored = (logprobs?.content ?? []) as readonly { readonly token?: unknown }[];
  return scored.map(({ token }) => token).join('') !== (text ?? '');
}

/** `content` is null only beside tool calls or a refusal; otherwise it is a string, possibly empty. */
function contentOf({ text, toolCalls, refusal }: GatheredAnswer): string {
  const instead = toolCalls !== null || refusal !== '';
  const content = JSON.stringify(text ?? (instead ? null : ''));
  return `"content":${content},"refusal":${refusal === '' ? 'null' : JSON.stringify(refusal)}`;
}

function besideText(
  { reasoning, reasoningDetails, toolCalls, images, audio, citations }: GatheredAnswer,
  hidden: boolean,
): string {
  let members = '';
  if (!hidden && reasoning !== '') members += `,"reasoning":${JSON.stringify(reasoning)}`;
  if (!hidden && reasoningDetails !== null) members += `,"reasoning_details":${JSON.stringify(reasoningDetails)}`;
  if (toolCalls !== null) {
    const calls = toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    }));
    members += `,"tool_calls":${JSON.stringify(calls)}`;
  }
  if (images !== null) members += `,"images":[${images.map(imageText).join(',')}]`;
  if (audio !== null) members += `,"audio":${audioText(audio)}`;
  if (citations !== null) members += `,"annotations":[${citations.map(annotationText).join(',')}]`;
  return members;
}
