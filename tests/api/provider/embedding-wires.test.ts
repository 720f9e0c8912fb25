import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startSimulator } from '../../../gateway/simulator/simulator.ts';
import type { ProviderDeclaration } from '../../../gateway/terms/provider-declaration.ts';
import { bounded } from '../../support/bounded.ts';
import { startCluster, type TestCluster } from '../../support/cluster/start-cluster.ts';
import { clientOf } from '../client.ts';

/**
 * Embeddings and rankings of the wires that have a form of their own for them, against providers that enforce their rules: one request
 * of callers, the wire's own form out, its vectors and counts back, and one charge.
 */
const it = bounded(test, 60_000);
const simulator = await startSimulator({ name: 'sim-a', keep: true });

/** USD a token, in units of 1e-9. */
const PRICE = 20;
const WIDTH = 16;

interface Row {
  readonly dialect: 'gemini' | 'cohere' | 'ollama';
  readonly strict: string;
  readonly base: string;
  readonly id: string;
  readonly path: string;
  /** What goes out for these texts. */
  readonly sent: (texts: readonly string[]) => object;
  /** The model takes one input at a time. */
  readonly single?: true;
}

const VERTEX = '/v1/projects/p/locations/l/publishers/google';
const contentOf = (text: string): object => ({ parts: [{ text }] });
const ROWS: Readonly<Record<string, Row>> = {
  studio: {
    ...{ dialect: 'gemini', strict: 'google', base: '/v1beta', id: 'gemini-embedding-001' },
    path: '/v1/models/gemini-embedding-001:batchEmbedContents',
    sent: (texts) => ({
      requests: texts.map((text) => ({
        model: 'models/gemini-embedding-001',
        content: contentOf(text),
        taskType: 'RETRIEVAL_QUERY',
        outputDimensionality: WIDTH,
      })),
    }),
  },
  vertex: {
    ...{ dialect: 'gemini', strict: 'google', base: VERTEX, id: 'text-embedding-005' },
    path: '/v1/models/text-embedding-005:predict',
    sent: (texts) => ({
      instances: texts.map((content) => ({ content, task_type: 'RETRIEVAL_QUERY' })),
      parameters: { autoTruncate: false, outputDimensionality: WIDTH },
    }),
  },
  newer: {
    ...{ dialect: 'gemini', strict: 'google', base: VERTEX, id: 'gemini-embedding-2', single: true },
    path: '/v1/models/gemini-embedding-2:embedContent',
    sent: ([text = '']) => ({
      content: contentOf(text),
      embedContentConfig: { taskType: 'RETRIEVAL_QUERY', autoTruncate: false, outputDimensionality: WIDTH },
    }),
  },
  cohere: {
    ...{ dialect: 'cohere', strict: 'cohere', base: '', id: 'embed-v4.0' },
    path: '/v1/v2/embed',
    sent: (texts) => ({
      model: 'embed-v4.0',
      texts,
      truncate: 'NONE',
      input_type: 'search_query',
      embedding_types: ['float'],
      output_dimension: WIDTH,
    }),
  },
  ollama: {
    ...{ dialect: 'ollama', strict: 'ollama', base: '', id: 'embeddinggemma' },
    path: '/v1/api/embed',
    sent: (input) => ({
      model: 'embeddinggemma',
      input,
      truncate: false,
      options: { num_ctx: 8_192 },
      dimensions: WIDTH,
    }),
  },
};

const providers = Object.entries(ROWS).map(
  ([slug, { dialect, strict, base, id }]): ProviderDeclaration => ({
    slug,
    name: slug,
    dialect,
    baseUrl: `http://127.0.0.1:${simulator.port}/strict/${strict}${base}`,
    models: {
      data: [
        {
          schema_version: '2.4',
          id,
          slug: `${slug}/embedder`,
          name: slug,
          created: 1_750_000_000,
          input_modalities: [
            {
              type: 'text',
              supported_inputs: { max_context_length: { value: 8_192 } },
              pricing: [{ type: 'prompt', unit: 'token', cost_usd: '0.00000002' }],
            },
          ],
          output_modalities: [
            {
              type: 'embeddings',
              supported_parameters: { dimensions: { type: 'unknown' }, input_type: { type: 'unknown' } },
            },
          ],
        },
      ],
    },
  }),
);

/** Rankings of Cohere, charged by the search. */
const RANKER: ProviderDeclaration = {
  slug: 'ranks',
  name: 'ranks',
  dialect: 'cohere',
  baseUrl: `http://127.0.0.1:${simulator.port}/strict/cohere`,
  models: {
    data: [
      {
        schema_version: '2.4',
        id: 'rerank-v4.0',
        slug: 'ranks/ranker',
        name: 'ranker',
        created: 1_750_000_000,
        input_modalities: [{ type: 'text', supported_inputs: { max_context_length: { value: 4_096 } } }],
        output_modalities: [{ type: 'rerank', supported_parameters: { max_tokens_per_doc: { type: 'unknown' } } }],
        pricing: [{ type: 'request', unit: 'search', cost_usd: '0.002' }],
      },
    ],
  },
};

let cluster: TestCluster;
test.before(async () => {
  cluster = await startCluster({ simulators: [], providers: [...providers, RANKER] });
});
test.after(async () => {
  await cluster.close();
  await simulator.close();
});

interface Reply {
  readonly id: string;
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[];
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number; readonly cost: number };
}

interface Ranking {
  readonly results: readonly { readonly index: number }[];
  readonly usage: { readonly search_units: number; readonly cost: number };
}

for (const [name, { path, sent, single }] of Object.entries(ROWS)) {
  it(`${name}: the inputs go out in the wire's own form, and vectors and counts come back, charged once`, async () => {
    const payer = await cluster.fund('1');
    const { ask, dataOf } = clientOf(cluster, payer.key);
    const texts = single ? ['a river'] : ['a river', 'a mountain'];
    const body = { model: `${name}/embedder`, input: texts, dimensions: WIDTH, input_type: 'search_query' };
    const before = simulator.calls.length;
    const { status, body: reply, text } = await ask<Reply>('/embeddings', { body });
    assert.is(status, 200, text);
    const calls = simulator.calls.slice(before);
    assert.equal(
      calls.map((call) => [call.path, call.status, call.body]),
      [[path, 200, sent(texts)]],
    );
    assert.equal(
      reply.data.map(({ index, embedding }) => [index, embedding.length]),
      texts.map((_, index) => [index, WIDTH]),
    );
    const { prompt_tokens, total_tokens, cost } = reply.usage;
    assert.is(prompt_tokens, calls[0]?.usage?.prompt_tokens);
    assert.is(total_tokens, prompt_tokens);
    assert.is(Math.round(cost * 1e9), prompt_tokens * PRICE);
    const record = await dataOf<Record<string, unknown>>(`/generation?id=${reply.id}`);
    assert.equal([record.total_cost, record.tokens_prompt, record.tokens_completion], [cost, prompt_tokens, 0]);
    const credits = await dataOf<Record<string, unknown>>('/credits');
    assert.equal([credits.total_usage, credits.held], [cost, 0]);

    const last = { ...body, input: texts.slice(-1) };
    const alone = await ask<Reply>('/embeddings', { body: last });
    assert.equal(alone.body.data[0]?.embedding, reply.data.at(-1)?.embedding, 'each vector is that of its text');
  });

  it(`${name}: token ids are refused before any call, by the name of the input`, async () => {
    const payer = await cluster.fund('1');
    const { ask } = clientOf(cluster, payer.key);
    const before = simulator.calls.length;
    for (const input of [
      [1, 2, 3],
      [[1, 2], [3]],
    ]) {
      const { status, error } = await ask('/embeddings', { body: { model: `${name}/embedder`, input } });
      assert.is(status, 503);
      assert.match(error.message, /an input of token ids is not supported/);
      assert.match(JSON.stringify(error.metadata.rejections), /"member":"input"/);
    }
    assert.is(simulator.calls.length, before);
  });
}

it('more inputs than a model embeds in one call are refused before it, by the name of the member', async () => {
  const payer = await cluster.fund('1');
  const { ask, dataOf } = clientOf(cluster, payer.key);
  const before = simulator.calls.length;
  const { status, error } = await ask('/embeddings', { body: { model: 'newer/embedder', input: ['a', 'b'] } });
  assert.is(status, 400);
  assert.match(error.message, /input/);
  assert.is(simulator.calls.length, before);
  assert.is((await dataOf<Record<string, unknown>>('/credits')).total_usage, 0);
});

it('rankings of Cohere go out in its form and are charged by the search; a picture is refused before any call', async () => {
  const payer = await cluster.fund('1');
  const { ask, dataOf } = clientOf(cluster, payer.key);
  const documents = ['A hill', { text: 'The river at dawn' }];
  const body = { model: 'ranks/ranker', query: 'the river', documents, top_n: 1, max_tokens_per_doc: 50, user: 'u' };
  const before = simulator.calls.length;
  const { status, body: reply, text } = await ask<Ranking>('/rerank', { body });
  assert.is(status, 200, text);
  assert.equal(
    simulator.calls.slice(before).map((call) => [call.path, call.status, call.body]),
    [
      [
        '/v1/v2/rerank',
        200,
        {
          model: 'rerank-v4.0',
          query: 'the river',
          documents: ['A hill', 'The river at dawn'],
          top_n: 1,
          max_tokens_per_doc: 50,
        },
      ],
    ],
  );
  assert.equal([reply.results.map(({ index }) => index), reply.usage.search_units, reply.usage.cost], [[1], 1, 0.002]);
  assert.is((await dataOf<Record<string, unknown>>('/credits')).total_usage, 0.002);
  const picture = { ...body, documents: [{ image: 'data:image/png;base64,AAAA' }] };
  const refused = await ask('/rerank', { body: picture });
  assert.is(refused.status, 503);
  assert.match(JSON.stringify(refused.error.metadata.rejections), /"modality","detail":"image"/);
  assert.is(simulator.calls.length, before + 1);
});

test.run();
