import type { TurnEvent, Vector } from '../../terms/turn-event.ts';
import type { Closing } from '../reply/reply-dialect.ts';
import type { ReplyHead } from '../reply/reply-head.ts';
import { numberText } from '../reply/usage-text.ts';
import type { Encoding } from './parse.ts';

const FLOAT_BYTES = 4;

/**
 * An embeddings answer as JSON text: the vectors in the order of the inputs, as numbers or as base64 of little-endian
 * 32-bit floats. The usage is what was charged, since clients require the count of tokens. (conventions 1.8)
 */
export function render(
  { id, model }: ReplyHead,
  events: readonly TurnEvent[],
  closing: Closing | null,
  encoding: Encoding,
): string {
  const vectors = events.flatMap((event) => (event.type === 'embeddings' ? event.vectors : []));
  const data = vectors.map(
    (vector, index) => `{"object":"embedding","index":${index},"embedding":${vectorText(vector, encoding)}}`,
  );
  const usage = closing === null ? '' : `,"usage":${usageText(closing)}`;
  const head = `"id":${JSON.stringify(id)},"object":"list","model":${JSON.stringify(model)}`;
  return `{${head},"data":[${data.join(',')}]${usage}}`;
}

function usageText({ usage, promptCounted = 0, cost }: Closing): string {
  const promptTokens = usage.promptTokens ?? promptCounted;
  return `{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens},"cost":${numberText(cost)}}`;
}

function vectorText(vector: Vector, encoding: Encoding): string {
  if (encoding === 'float') return `[${vector.join(',')}]`;
  const bytes = Buffer.allocUnsafe(vector.length * FLOAT_BYTES);
  for (let at = 0; at < vector.length; at++) bytes.writeFloatLE(vector[at] as number, at * FLOAT_BYTES);
  return `"${bytes.toString('base64')}"`;
}
