import type { Answer } from '../answer/answer.ts';
import type { ChatRequest } from '../answer/chat-request.ts';
import type { Wire } from '../answer/wire.ts';
import { embeddingsDialect } from './embeddings.ts';
import { geminiWire } from './gemini-wire.ts';

interface Content {
  readonly parts?: readonly { readonly text?: string }[];
}

interface Config {
  readonly outputDimensionality?: number;
}

interface BatchRequest {
  readonly requests?: readonly (Config & { readonly model?: string; readonly content?: Content })[];
}

interface PredictRequest {
  readonly instances?: readonly { readonly content?: string }[];
  readonly parameters?: Config;
}

interface SingleRequest {
  readonly content?: Content;
  readonly embedContentConfig?: Config;
}

/** A request in the form of OpenAI. */
interface Asked extends Readonly<Record<string, unknown>> {
  readonly model: string;
  readonly input: readonly string[];
}

interface Dialect {
  readonly wire: (body: unknown) => Wire;
  readonly read: (body: unknown, path: Readonly<Record<string, string>>) => ChatRequest;
}

/** `batchEmbedContents` of AI Studio: the vectors and the count of the form of OpenAI, under names of its own. */
export const geminiEmbed: Dialect = dialectOf(batchOf, (vectors, tokens) => ({
  embeddings: vectors.map((values) => ({ values })),
  usageMetadata: { promptTokenCount: tokens },
}));

/** `predict` of Vertex: each vector with its count. */
export const geminiPredict: Dialect = dialectOf(
  (body, model) => {
    const { instances = [], parameters } = body as PredictRequest;
    if (instances.length === 0 || !instances.every(({ content }) => typeof content === 'string')) {
      throw new Error('Invalid instances: string_value content is required.');
    }
    return { model, input: instances.map(({ content = '' }) => content), ...widthOf(parameters) };
  },
  (vectors, tokens) => ({
    predictions: vectors.map((values, nth) => {
      const token_count = tokens === undefined ? undefined : share(tokens, vectors.length, nth);
      return { embeddings: { values, statistics: { truncated: false, token_count } } };
    }),
    metadata: { billableCharacterCount: 9 },
  }),
);

/** `embedContent` of Vertex: one vector. */
export const geminiSingle: Dialect = dialectOf(
  (body, model) => {
    const { content, embedContentConfig } = body as SingleRequest;
    return { model, input: [textOf(content)], ...widthOf(embedContentConfig) };
  },
  ([values], tokens) => ({ embedding: { values }, usageMetadata: { promptTokenCount: tokens } }),
);

function dialectOf(
  asked: (body: unknown, model: string) => Asked,
  write: (vectors: readonly unknown[], tokens: number | undefined) => object,
): Dialect {
  return {
    wire: (body) => ({
      ...geminiWire,
      whole: (answer) => {
        const { vectors, tokens } = standardOf(asked(body, answer.model), answer);
        return JSON.stringify(write(vectors, tokens));
      },
    }),
    read: (body, { model = '' }) => embeddingsDialect.read(asked(body, decodeURIComponent(model))),
  };
}

function standardOf(
  asked: Asked,
  answer: Answer,
): { readonly vectors: readonly unknown[]; readonly tokens: number | undefined } {
  const { data, usage } = JSON.parse(embeddingsDialect.wire(asked).whole(answer)) as {
    readonly data: readonly { readonly embedding: unknown }[];
    readonly usage?: { readonly prompt_tokens?: number };
  };
  return { vectors: data.map(({ embedding }) => embedding), tokens: usage?.prompt_tokens };
}

/** Throws where a request names no model: the provider demands it in each. */
function batchOf(body: unknown): Asked {
  const { requests = [] } = body as BatchRequest;
  const [first] = requests;
  if (first === undefined || !requests.every(({ model }) => model?.startsWith('models/'))) {
    throw new Error('* BatchEmbedContentsRequest.requests: model is required');
  }
  return {
    model: decodeURIComponent((first.model ?? '').slice('models/'.length)),
    input: requests.map(({ content }) => textOf(content)),
    ...widthOf(first),
  };
}

function textOf(content: Content | undefined): string {
  return content?.parts?.[0]?.text ?? '';
}

function widthOf({ outputDimensionality: dimensions }: Config = {}): object {
  return dimensions === undefined ? {} : { dimensions };
}

/** Whole parts of a count, that of the last one with what is left. */
function share(total: number, parts: number, nth: number): number {
  const each = Math.floor(total / parts);
  return nth === parts - 1 ? total - each * (parts - 1) : each;
}
