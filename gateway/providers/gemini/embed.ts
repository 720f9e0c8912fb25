import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Adapter, TextWriter } from '../adapter.ts';
import { UNSUPPORTED } from '../alternating.ts';
import { embeddingsAdapter } from '../embeddings/adapter.ts';
import { EmbeddingsReader } from '../embeddings/reply-reader.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { shaper } from '../shaper.ts';
import { modelPath } from './model-path.ts';

type Members = Readonly<Record<string, unknown>>;

/** One request for each input; what the endpoint's `wire` declares of members applies to each. */
function embedWriter({ target, supportedParameters }: Endpoint): TextWriter {
  const model = modelPath(target.upstreamId).slice(1);
  const declaresWidth = supportedParameters.includes('dimensions');
  const shape = shaper(target.wire ?? {});
  return ({ messages, sampling: { dimensions } }) => {
    const requests = messages.map((message) => {
      if (message.role === 'user' && message.tokens !== undefined) {
        throw new ProviderFailure('rejected', 'the Gemini wire takes no token ids', null, UNSUPPORTED);
      }
      const request: Record<string, unknown> = { model, content: { parts: [{ text: message.text ?? '' }] } };
      if (declaresWidth && dimensions !== undefined) request.outputDimensionality = dimensions;
      shape?.(request);
      return request;
    });
    return JSON.stringify({ requests });
  };
}

/** Vectors in their order. Their forms and counts are checked as those of OpenAI's form. */
class GeminiVectors extends EmbeddingsReader {
  override readWhole(answer: Members, events: TurnEvent[]): void {
    const { embeddings, usageMetadata, error } = answer;
    const data = Array.isArray(embeddings)
      ? (embeddings as readonly (Members | null)[]).map((each) => ({ embedding: each?.values }))
      : embeddings;
    const { promptTokenCount: prompt_tokens } = (usageMetadata ?? {}) as Members;
    super.readWhole({ error, data, usage: { prompt_tokens } }, events);
  }
}

/** Vectors of texts: `batchEmbedContents`. Never streamed. */
export const geminiEmbedAdapter: Adapter = {
  ...embeddingsAdapter,
  address: ({ upstreamId }) => `${modelPath(upstreamId)}:batchEmbedContents`,
  credential: 'x-goog-api-key',
  leftOut: ({ user }) => (user === undefined ? [] : ['user']),
  writer: embedWriter,
  reader: (_makeCallId, note, asked) => new GeminiVectors(asked, note),
};
