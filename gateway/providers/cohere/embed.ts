import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Adapter, TextWriter } from '../adapter.ts';
import { embeddingsAdapter } from '../embeddings/adapter.ts';
import { inputText } from '../embeddings/input-text.ts';
import { EmbeddingsReader } from '../embeddings/reply-reader.ts';
import { ownOptions } from '../own-options.ts';
import { membersOf } from '../parsed.ts';
import { shaper } from '../shaper.ts';

type Members = Readonly<Record<string, unknown>>;

/** Members that the gateway sets; `provider.options` cannot. */
const OURS: ReadonlySet<string> = new Set(['model', 'texts', 'images', 'inputs', 'embedding_types']);

/**
 * Writes requests for vectors. The wire demands to know what a text is embedded for: a document, where the request does
 * not say. An input that does not fit is refused instead of being cut in silence, unless the caller's options ask for it.
 */
function embedWriter(endpoint: Endpoint): TextWriter {
  const { wire = {}, upstreamId: model } = endpoint.target;
  const { encoding_format: format } = endpoint.descriptors;
  const isEncoded = format?.type === 'enum' && format.values.includes('base64');
  const declared = new Set(endpoint.supportedParameters);
  const shape = shaper(wire);
  return ({ messages, sampling, preferences: { options } }) => {
    const { dimensions, input_type: use = 'search_document', ...settings } = sampling;
    const body: Record<string, unknown> = { model, texts: messages.map(inputText), truncate: 'NONE' };
    for (const [name, value] of Object.entries(settings)) if (declared.has(name)) body[name] = value;
    body.input_type = use;
    body.embedding_types = [isEncoded ? 'base64' : 'float'];
    if (dimensions !== undefined && declared.has('dimensions')) body.output_dimension = dimensions;
    shape?.(body);
    return JSON.stringify(options === undefined ? body : { ...body, ...ownOptions(options, endpoint, OURS) });
  };
}

/** Vectors in their order, by their type. Their forms and counts are checked as those of OpenAI's form. */
class CohereEmbedReader extends EmbeddingsReader {
  override readWhole({ id, embeddings, meta, error }: Members, events: TurnEvent[]): void {
    const { float, base64 } = membersOf(embeddings);
    const vectors = float ?? base64;
    const data = Array.isArray(vectors) ? vectors.map((embedding: unknown) => ({ embedding })) : vectors;
    const { input_tokens } = membersOf(membersOf(meta).billed_units);
    super.readWhole({ error, id, data, usage: { prompt_tokens: input_tokens } }, events);
  }
}

/** Vectors of texts: `/v2/embed`. Never streamed. */
export const cohereEmbedAdapter: Adapter = {
  ...embeddingsAdapter,
  takesTokenIds: false,
  address: () => '/v2/embed',
  leftOut: ({ user }) => (user === undefined ? [] : ['user']),
  writer: embedWriter,
  reader: (_makeCallId, note, asked) => new CohereEmbedReader(asked, note),
};
