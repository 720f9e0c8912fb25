import { floatText } from '../../terms/float-text.ts';
import type { TurnEvent, Vector } from '../../terms/turn-event.ts';
import type { Closing } from '../reply/reply-dialect.ts';
import type { ReplyHead } from '../reply/reply-head.ts';
import { numberText } from '../reply/usage-text.ts';
import type { Encoding } from './parse.ts';

/**
 * An embeddings answer as JSON text, a piece for each vector: in the order of the inputs, as numbers or as base64 of
 * little-endian 32-bit floats. Two million numbers take over a second. The usage is what was charged, since clients
 * require the count of tokens. (rule I106)
 */
export function* render(
  { id, model }: ReplyHead,
  events: readonly TurnEvent[],
  closing: Closing | null,
  encoding: Encoding,
): Generator<string> {
  yield `{"id":${JSON.stringify(id)},"object":"list","model":${JSON.stringify(model)},"data":[`;
  const vectors = events.flatMap((event) => (event.type === 'embeddings' ? event.vectors : []));
  for (const [index, vector] of vectors.entries()) {
    const comma = index === 0 ? '' : ',';
    yield `${comma}{"object":"embedding","index":${index},"embedding":${vectorText(vector, encoding)}}`;
  }
  yield closing === null ? ']}' : `],"usage":${usageText(closing)}}`;
}

function usageText({ usage, promptCounted = 0, cost }: Closing): string {
  const promptTokens = usage.promptTokens ?? promptCounted;
  return `{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens},"cost":${numberText(cost)}}`;
}

function vectorText(vector: Vector, encoding: Encoding): string {
  return encoding === 'float' ? `[${vector.join(',')}]` : `"${floatText(vector)}"`;
}
