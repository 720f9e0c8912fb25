import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Adapter, TextWriter } from '../adapter.ts';
import { embeddingsAdapter } from '../embeddings/adapter.ts';
import { inputText } from '../embeddings/input-text.ts';
import { EmbeddingsReader } from '../embeddings/reply-reader.ts';
import { shaper } from '../shaper.ts';

type Members = Readonly<Record<string, unknown>>;

/** An input that does not fit is refused instead of being cut in silence. */
function embedWriter({ target, supportedParameters, contextLength }: Endpoint): TextWriter {
  const { wire = {}, upstreamId: model } = target;
  const declaresWidth = supportedParameters.includes('dimensions');
  const shape = shaper(wire);
  return ({ messages, sampling: { dimensions } }) => {
    const body: Record<string, unknown> = {
      model,
      input: messages.map(inputText),
      truncate: false,
      options: { num_ctx: contextLength },
    };
    if (declaresWidth && dimensions !== undefined) body.dimensions = dimensions;
    shape?.(body);
    return JSON.stringify(body);
  };
}

/** Vectors in their order. Their forms and counts are checked as those of OpenAI's form. */
class EmbedReader extends EmbeddingsReader {
  override readWhole(answer: Members, events: TurnEvent[]): void {
    const { embeddings, prompt_eval_count: prompt_tokens, error } = answer;
    const data = Array.isArray(embeddings) ? embeddings.map((embedding: unknown) => ({ embedding })) : embeddings;
    super.readWhole({ error, data, usage: { prompt_tokens } }, events);
  }
}

/** Vectors of texts: `/api/embed`. Never streamed. */
export const ollamaEmbedAdapter: Adapter = {
  ...embeddingsAdapter,
  takesTokenIds: false,
  address: () => '/api/embed',
  leftOut: ({ user, sampling }) => [
    ...(user === undefined ? [] : ['user']),
    ...(sampling.input_type === undefined ? [] : ['input_type']),
  ],
  writer: embedWriter,
  reader: (_makeCallId, note, asked) => new EmbedReader(asked, note),
};
