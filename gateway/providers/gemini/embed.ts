import type { Endpoint, EndpointTarget } from '../../../actors/terms/endpoint.ts';
import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Adapter, TextWriter } from '../adapter.ts';
import { embeddingsAdapter } from '../embeddings/adapter.ts';
import { inputText, unsupportedInput } from '../embeddings/input-text.ts';
import { EmbeddingsReader } from '../embeddings/reply-reader.ts';
import { membersOf } from '../parsed.ts';
import { tokenCount } from '../prompt-usage.ts';
import { shaper } from '../shaper.ts';
import { modelPath } from './model-path.ts';

type Members = Readonly<Record<string, unknown>>;

/** What a request says beside its inputs. `shape` applies what the endpoint's `wire` declares of members. */
interface Settings {
  readonly model: string;
  readonly use: unknown;
  readonly width: unknown;
  readonly shape: (members: Record<string, unknown>) => Members;
}

/** One of the methods by which Google's models embed. */
interface Method {
  readonly name: string;
  readonly write: (texts: readonly string[], settings: Settings) => Members;
}

/** AI Studio: a request for each input. */
const BATCH: Method = {
  name: 'batchEmbedContents',
  write: (texts, { model, use, width, shape }) => ({
    requests: texts.map((text) =>
      shape({ model, content: contentOf(text), taskType: use, outputDimensionality: width }),
    ),
  }),
};

/** Vertex: an input that does not fit is refused instead of being cut in silence. */
const PREDICT: Method = {
  name: 'predict',
  write: (texts, { use, width, shape }) => ({
    instances: texts.map((content) => ({ content, task_type: use })),
    parameters: shape({ autoTruncate: false, outputDimensionality: width }),
  }),
};

/** Vertex, for its newer models: one input for each call. */
const SINGLE: Method = {
  name: 'embedContent',
  write: ([text = '', ...more], { use, width, shape }) => {
    if (more.length > 0) throw unsupportedInput('the model embeds one input at a time');
    const embedContentConfig = shape({ taskType: use, autoTruncate: false, outputDimensionality: width });
    return { content: contentOf(text), embedContentConfig };
  },
};

function contentOf(text: string): object {
  return { parts: [{ text }] };
}

/** Publishers are collections of Vertex alone. */
const VERTEX = /\/publishers\//;
/** As the service's client tells them apart. */
const NEWER = /gemini(?!-embedding-001$)|maas/;

function methodOf({ baseUrl, upstreamId, wire }: EndpointTarget): Method {
  const isVertex = wire?.credential === 'google-service-account' || VERTEX.test(baseUrl);
  if (!isVertex) return BATCH;
  return NEWER.test(upstreamId) ? SINGLE : PREDICT;
}

/** What a text is embedded for, by the names that other providers have for it; any other is sent as it came. */
const USES: Readonly<Record<string, string>> = {
  search_document: 'RETRIEVAL_DOCUMENT',
  search_query: 'RETRIEVAL_QUERY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

function embedWriter({ target, supportedParameters }: Endpoint): TextWriter {
  const model = modelPath(target.upstreamId).slice(1);
  const method = methodOf(target);
  const declared = shaper(target.wire ?? {});
  const shape = (members: Record<string, unknown>): Members => {
    declared?.(members);
    return members;
  };
  return ({ messages, sampling }) => {
    const asked = (name: string): unknown => (supportedParameters.includes(name) ? sampling[name] : undefined);
    const use = asked('input_type');
    const settings = { model, use: USES[String(use)] ?? use, width: asked('dimensions'), shape };
    return JSON.stringify(method.write(messages.map(inputText), settings));
  };
}

/** Vectors in their order. Their forms and counts are checked as those of OpenAI's form. */
class GeminiVectors extends EmbeddingsReader {
  override readWhole(answer: Members, events: TurnEvent[]): void {
    const vectors = vectorsIn(answer);
    const data = vectors?.map(({ values }) => ({ embedding: values }));
    const { promptTokenCount: prompt_tokens = sumOf(vectors ?? []) } = membersOf(answer.usageMetadata);
    super.readWhole({ error: answer.error, data, usage: { prompt_tokens } }, events);
  }
}

/** What each method answers, in one form. */
function vectorsIn({ embeddings, predictions, embedding }: Members): readonly Members[] | undefined {
  if (Array.isArray(predictions)) return predictions.map((each: unknown) => membersOf(membersOf(each).embeddings));
  if (embedding !== undefined) return [membersOf(embedding)];
  return Array.isArray(embeddings) ? embeddings.map(membersOf) : undefined;
}

/** The tokens of all inputs; undefined unless each vector has a count. */
function sumOf(vectors: readonly Members[]): number | undefined {
  return vectors.reduce<number | undefined>((sum, { statistics }) => {
    const count = tokenCount(membersOf(statistics).token_count);
    return sum === undefined || count === undefined ? undefined : sum + count;
  }, 0);
}

/** Vectors of texts. Never streamed. */
export const geminiEmbedAdapter: Adapter = {
  ...embeddingsAdapter,
  takesTokenIds: false,
  address: (target) => `${modelPath(target.upstreamId)}:${methodOf(target).name}`,
  credential: 'x-goog-api-key',
  leftOut: ({ user }) => (user === undefined ? [] : ['user']),
  writer: embedWriter,
  reader: (_makeCallId, note, asked) => new GeminiVectors(asked, note),
};
