import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenRouter } from '@openrouter/sdk';
import { embed, embedMany } from 'ai';
import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { type Asked, openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Embeddings, with the SDKs. `sim/embedder` is served by sim-a at 2e-8 and by sim-b at 2.5e-8 USD a token, 64 wide. */
const it = bounded(test);

const { cluster, funded, send } = await openApi(test, openCluster);
const client = clientOf(funded.key);

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: cluster.baseUrls[0] as string, maxRetries: 0 });
}

/** The price of one token at each provider, in units of 1e-9 USD. */
const PRICES: Readonly<Record<string, number>> = { 'sim-a': 20, 'sim-b': 25 };

const sim = (directive: object): string => `@sim ${JSON.stringify(directive)}`;

interface Reply {
  readonly id: string;
  readonly object: string;
  readonly model: string;
  readonly data: readonly { readonly object: string; readonly index: number; readonly embedding: number[] | string }[];
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number; readonly cost: number };
  readonly error: { readonly code: number; readonly message: string; readonly metadata: Record<string, unknown> };
}

function ask(members: object, asked: Asked = {}): Promise<Response> {
  return send('/embeddings', { body: { model: 'sim/embedder', ...members }, ...asked });
}

async function read(path: string, key = funded.key): Promise<Record<string, unknown>> {
  const answer = await send(path, { key });
  return ((await answer.json()) as { data: Record<string, unknown> }).data;
}

/** Calls of the model that the providers received since the last one. */
function callsOf(input: string): string[] {
  return cluster.simulators.flatMap(({ calls }) =>
    calls.filter(({ body }) => JSON.stringify(body).includes(JSON.stringify(input))).map(({ provider }) => provider),
  );
}

it('the OpenAI SDK receives the same vectors encoded, as it asks by default, and as numbers', async () => {
  const input = ['a river', 'a mountain'];
  const encoded = await client.embeddings.create({ model: 'sim/embedder', input });
  const plain = await client.embeddings.create({ model: 'sim/embedder', input, encoding_format: 'float' });
  assert.equal([encoded.object, encoded.model, encoded.data.length], ['list', 'sim/embedder', 2]);
  for (const [at, { index, object, embedding }] of encoded.data.entries()) {
    assert.equal([index, object, embedding.length], [at, 'embedding', 64]);
    assert.equal([...embedding], plain.data[at]?.embedding);
  }
  assert.not.equal(plain.data[0]?.embedding, plain.data[1]?.embedding);
  const narrow = await client.embeddings.create({ model: 'sim/embedder', input, dimensions: 16 });
  assert.is(narrow.data[1]?.embedding.length, 16);
});

it('the AI SDK embeds one value and many, and reads the tokens', async () => {
  const provider = createOpenAICompatible({
    name: 'troupe',
    apiKey: funded.key,
    baseURL: cluster.baseUrls[0] as string,
  });
  const model = provider.embeddingModel('sim/embedder');
  const one = await embed({ model, value: 'a river' });
  const many = await embedMany({ model, values: ['a river', 'a mountain'] });
  assert.equal(many.embeddings[0], one.embedding);
  assert.is(many.embeddings.length, 2);
  assert.ok(one.usage.tokens > 0 && many.usage.tokens > one.usage.tokens);
});

it('the OpenRouter SDK, which validates every member, embeds and lists', async () => {
  const router = new OpenRouter({
    ...{ apiKey: funded.key, serverURL: cluster.baseUrls[0] as string, retryConfig: { strategy: 'none' } },
  });
  const requestBody = { model: 'sim/embedder', input: ['a', 'b'], dimensions: 16, provider: { only: ['sim-b'] } };
  const answer = await router.embeddings.generate({ requestBody });
  if (typeof answer === 'string') throw new Error(answer);
  assert.equal(
    answer.data.map(({ index, embedding }) => [index, embedding.length]),
    [
      [0, 16],
      [1, 16],
    ],
  );
  assert.is(answer.usage?.promptTokens, answer.usage?.totalTokens);
  assert.ok(Number(answer.usage?.cost) > 0);
  const listed = await router.embeddings.listModels();
  assert.match(JSON.stringify(listed), /"sim\/embedder"/);
});

it('the prompt is charged, exactly, by its record and the balance', async () => {
  const payer = await cluster.fund('1');
  const answer = await ask({ input: 'one', user: 'u' }, { key: payer.key });
  const reply = (await answer.json()) as Reply;
  assert.is(answer.status, 200);
  assert.is(reply.id, answer.headers.get('x-generation-id'));
  const provider = answer.headers.get('x-provider-name') === 'Sim A' ? 'sim-a' : 'sim-b';
  const { prompt_tokens, total_tokens, cost } = reply.usage;
  assert.is(total_tokens, prompt_tokens);
  assert.is(Math.round(cost * 1e9), prompt_tokens * (PRICES[provider] as number));
  const record = await read(`/generation?id=${reply.id}`, payer.key);
  assert.equal([record.total_cost, record.tokens_prompt, record.tokens_completion], [cost, prompt_tokens, 0]);
  assert.is(record.external_user, 'u');
  const credits = await read('/credits', payer.key);
  assert.equal([credits.total_usage, credits.held, credits.total_credits], [cost, 0, 1]);
});

it('token ids reach the provider as they are', async () => {
  const answer = await ask({ input: [[1, 2, 3], [4]], provider: { only: ['sim-a'] } });
  const { data, usage } = (await answer.json()) as Reply;
  assert.is(data.length, 2);
  assert.ok(usage.prompt_tokens > 0);
  assert.ok(cluster.simulators.some(({ calls }) => JSON.stringify(calls.at(-1)?.body.input) === '[[1,2,3],[4]]'));
});

it('without reported usage our own count is charged and shown: the text alone, without a template', async () => {
  const answer = await ask({ input: ['hello', sim({ usage: false })], provider: { only: ['sim-a'] } });
  const { id, usage } = (await answer.json()) as Reply;
  // cl100k: one token for hello, seven for the directive.
  assert.equal(usage, { prompt_tokens: 8, total_tokens: 8, cost: 1.6e-7 });
  const record = await read(`/generation?id=${id}`);
  assert.equal([record.tokens_prompt, record.total_cost], [8, 1.6e-7]);
});

for (const [name, directive] of [
  ['an error', { status: 500 }],
  ['garbage', { garbage: 'json' }],
  ['an answer without vectors', { garbage: 'empty' }],
] as const) {
  it(`${name} of the first endpoint: the second one answers, and the charge is its own`, async () => {
    const payer = await cluster.fund('1');
    const input = sim({ ...directive, only_on: 'sim-a', id: `embeddings ${name}` });
    const answer = await ask({ input, provider: { order: ['sim-a', 'sim-b'] } }, { key: payer.key });
    assert.is(answer.status, 200);
    assert.is(answer.headers.get('x-provider-name'), 'Sim B');
    const { usage } = (await answer.json()) as Reply;
    assert.equal(callsOf(input), ['sim-a', 'sim-a', 'sim-b']);
    assert.is(Math.round(usage.cost * 1e9), usage.prompt_tokens * 25);
    assert.is((await read('/credits', payer.key)).total_usage, usage.cost);
  });
}

it('where every endpoint fails nothing is charged, and the answer is the envelope of every route (rule K70)', async () => {
  const payer = await cluster.fund('1');
  const answer = await ask({ input: sim({ garbage: 'json', id: 'embeddings all' }) }, { key: payer.key });
  assert.is(answer.status, 502);
  const { error } = (await answer.json()) as Reply;
  assert.equal([error.code, typeof error.metadata.error_type], [502, 'string']);
  assert.is((await read('/credits', payer.key)).total_usage, 0);
});

it('settings route to endpoints that declare them, with these values', async () => {
  const query = { input: 'x', input_type: 'search_query' };
  for (let at = 0; at < 4; at++) {
    const answer = await ask(query);
    assert.is(answer.headers.get('x-provider-name'), 'Sim B');
    await answer.text();
  }
  for (const [members, member] of [
    [{ ...query, provider: { only: ['sim-a'] } }, 'input_type'],
    [{ input: 'x', dimensions: 48 }, 'dimensions'],
  ] as const) {
    const answer = await ask(members);
    assert.is(answer.status, 503);
    assert.is(answer.headers.get('x-should-retry'), 'false');
    assert.match(((await answer.json()) as Reply).error.message, new RegExp(member));
  }
});

it('a chat model embeds nothing and an embeddings model does not chat: 503 names the modality, nobody is called (rule I107)', async () => {
  const input = 'no chat model reads this';
  const refused = await ask({ model: 'sim/fast', input });
  assert.is(refused.status, 503);
  const { error } = (await refused.json()) as Reply;
  assert.match(error.message, /embeddings is not supported.*output_modalities=embeddings/);
  assert.match(JSON.stringify(error.metadata.rejections), /"reason":"modality","detail":"embeddings"/);
  for (const [path, members] of [
    ['/chat/completions', { messages: [{ role: 'user', content: input }] }],
    ['/completions', { prompt: input }],
    ['/responses', { input }],
  ] as const) {
    const answer = await send(path, { body: { model: 'sim/embedder', ...members } });
    assert.is(answer.status, 503, path);
    assert.match(await answer.text(), /text is not supported/);
  }
  assert.equal(callsOf(input), []);
});

it('refusals are in the common envelope and name the member; unread members are listed', async () => {
  const poor = await cluster.fund('0.0000001');
  for (const [members, key, status, message] of [
    [{ input: '' }, funded.key, 400, /^input must not be empty$/],
    [{ input: 'x', stream: true }, funded.key, 400, /^stream must be false$/],
    [{ input: [{ content: [] }] }, funded.key, 400, /^input\[0\] .* content parts are not embedded$/],
    [{ input: 'word '.repeat(8_500) }, funded.key, 400, /input\[0\] has about 8\d{3} tokens, at most 8192/],
    [{ input: Array(60).fill('word '.repeat(6_000)) }, funded.key, 400, /^input must have at most 300000 tokens/],
    [{ input: 'x', model: 'sim/nothing' }, funded.key, 404, /sim\/nothing/],
    [{ input: 'x' }, 'sk-unknown', 401, /./],
    [{ input: 'word '.repeat(1_000) }, poor.key, 402, /./],
  ] as const) {
    const answer = await ask(members, { key });
    const { error } = (await answer.json()) as Reply;
    assert.equal([answer.status, error.code], [status, status]);
    assert.match(error.message, message);
  }
  const unread = await ask({ input: 'x', temperature: 1 });
  assert.is(unread.headers.get('x-unread-members'), 'temperature');
  await unread.text();
});

it('a used-up rate is 429 with the time to wait', async () => {
  const busy = await cluster.fund('1', { perMinute: 1 });
  assert.is((await ask({ input: 'x' }, { key: busy.key })).status, 200);
  const refused = await ask({ input: 'x' }, { key: busy.key });
  assert.is(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.is(((await refused.json()) as Reply).error.code, 429);
});

it('a large answer is whole in either form, and longer than one window altogether', async () => {
  const input = Array.from({ length: 2_048 }, (_, at) => `text ${at} of many`);
  for (const only of ['sim-a', 'sim-b']) {
    const numbers = (await (await ask({ input, provider: { only: [only] } })).json()) as Reply;
    const encoded = await client.embeddings.create({ model: 'sim/embedder', input });
    assert.equal([numbers.data.length, encoded.data.length], [2_048, 2_048]);
    assert.ok(numbers.usage.prompt_tokens > 8_192, 'more than one window');
    assert.is(Math.round(numbers.usage.cost * 1e9), numbers.usage.prompt_tokens * (PRICES[only] as number));
    for (const at of [0, 1_000, 2_047]) {
      const [one, other] = [numbers.data[at]?.embedding, encoded.data[at]?.embedding];
      assert.equal([...(one as number[])].map(Math.fround), other);
    }
  }
});

it('GET /embeddings/models lists the models that embed, page by page (rule I109)', async () => {
  const list = async (query = ''): Promise<Record<string, unknown> & { data: Record<string, unknown>[] }> =>
    (await (await send(`/embeddings/models${query}`, { key: null })).json()) as never;
  const { data, total_count, links } = await list();
  assert.equal([data.length, total_count, links], [1, 1, { next: null }]);
  assert.equal(
    [data[0]?.id, data[0]?.supported_dimensions, data[0]?.endpoint_count],
    ['sim/embedder', [64, 32, 16], 2],
  );
  assert.equal((await list('?offset=1&limit=1000&q=nothing')).data, []);
  for (const query of ['?limit=0', '?limit=1001', '?offset=-1']) {
    assert.is((await send(`/embeddings/models${query}`, { key: null })).status, 400, query);
  }
});

test.run();
