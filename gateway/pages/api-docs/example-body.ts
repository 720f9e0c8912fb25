/** An example of a request body: written for the routes that people begin with, else what the schema requires. */
import { nameOf, type Schema } from './published.ts';

type Members = Readonly<Record<string, unknown>>;

const turn = [{ role: 'user', content: 'Hello' }];

/** By schema; `model` is one of the catalogue. A test holds each against its schema. */
const WRITTEN: Readonly<Record<string, (model: string) => Members>> = {
  ChatRequest: (model) => ({ model, messages: turn }),
  CompletionRequest: (model) => ({ model, prompt: 'Once upon a time' }),
  EmbeddingsRequest: () => ({ model: 'author/model', input: ['A river in the morning'] }),
  RerankRequest: () => ({
    model: 'author/model',
    query: 'A river in the morning',
    documents: ['The sun sets behind the mill.', 'Mist rises from the river at dawn.'],
  }),
  MessagesRequest: (model) => ({ model, max_tokens: 256, messages: turn }),
  TokenCountRequest: (model) => ({ model, messages: turn }),
  ResponsesRequest: (model) => ({ model, input: 'Hello' }),
  ImagesRequest: () => ({ model: 'author/model', prompt: 'A river in the morning' }),
  VideoRequest: () => ({ model: 'author/model', prompt: 'A river in the morning' }),
  BatchSubmission: (model) => ({
    endpoint: '/v1/chat/completions',
    requests: [{ custom_id: 'first', body: { model, messages: turn } }],
  }),
  KeyImport: () => ({ key: `sk-legacy-v1-${'0'.repeat(64)}`, name: 'earlier' }),
  KeyEdit: () => ({ limit: 25, limit_reset: 'monthly' }),
  WorkspaceEdit: () => ({ name: 'Research' }),
  CodeTrade: () => ({ code: 'code-of-the-approval', code_verifier: 'v'.repeat(43), code_challenge_method: 'S256' }),
  CodeRequest: () => ({
    callback_url: 'https://app.example/callback',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  }),
};

/** `schema` as the document names it, and as that name resolves. */
export function exampleBody(schema: Schema, resolved: Schema, model: string): Members {
  return WRITTEN[nameOf(schema)]?.(model) ?? (exampleOf(resolved, 'name') as Members);
}

/** The least value of a schema, except that a list has one entry. */
function exampleOf(schema: Schema, name: string): unknown {
  const { type, properties = {}, required = [], items, anyOf } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (anyOf !== undefined) return exampleOf(anyOf.find((form) => form.type !== 'null') ?? {}, name);
  if (type === 'array') return [exampleOf(items ?? {}, name)];
  if (type === 'object') {
    return Object.fromEntries(required.map((each) => [each, exampleOf(properties[each] ?? {}, each)]));
  }
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1);
  return type === 'boolean' ? true : name.replaceAll('_', '-');
}
