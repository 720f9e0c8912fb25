import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenRouter } from '@openrouter/sdk';
import { generateImage, type ImageModel } from 'ai';
import { imageSize } from 'image-size';
import OpenAI, { APIError } from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { subtract } from '../../../actors/terms/usd.ts';
import { bounded } from '../../support/bounded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Pictures through the SDKs that know image generation. (rule I100, rule K78) */
const it = bounded(test);

const { cluster, funded, send } = await openApi(test, openCluster, '100');
const client = clientOf(funded.key);

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: cluster.baseUrls[0] as string, maxRetries: 0 });
}

const ASKED = { model: 'sim/painter', prompt: 'a red fox', size: '256x256' } as const;
/** USD of `sim/painter` per token of prompt and completion, and per picture of 256 by 256 pixels. */
const PRICES = { prompt: 0.000_000_3, completion: 0.000_002_5, picture: 0.065_536 * 0.02 };

interface Usage {
  readonly cost: number;
  readonly prompt_tokens: number;
  readonly input_tokens: number;
  readonly completion_tokens: number;
  readonly output_tokens: number;
}

const usageOf = (reply: { readonly usage?: unknown }): Usage => reply.usage as Usage;

function sizeOf(base64: string | undefined): readonly number[] {
  const { width, height } = imageSize(Buffer.from(base64 ?? '', 'base64'));
  return [width, height];
}

async function read(path: string, key = funded.key): Promise<Record<string, unknown>> {
  const answer = await send(path, { key });
  const { data } = (await answer.json()) as { data: Record<string, unknown> };
  return data;
}

function post(path: string, body: object, key: string | null = funded.key): Promise<Response> {
  return send(path, { body, key });
}

const failure = (run: () => PromiseLike<unknown>): Promise<APIError> => failureOf(run(), APIError);

it('draws through the OpenAI SDK, with usage, cost and its headers', async () => {
  const { data, response } = await client.images.generate(ASKED).withResponse();
  assert.is(data.data?.length, 1);
  assert.equal(sizeOf(data.data?.[0]?.b64_json), [256, 256]);
  assert.ok(Math.abs(data.created - Date.now() / 1_000) < 600);
  const { cost, prompt_tokens, input_tokens, completion_tokens, output_tokens } = usageOf(data);
  assert.ok(cost > PRICES.picture);
  assert.equal([input_tokens, output_tokens], [prompt_tokens, completion_tokens]);
  assert.is(response.headers.get('x-provider-name'), 'Sim C');
  const id = response.headers.get('x-generation-id') as string;
  assert.equal(
    [(data as unknown as { id: string }).id, (data as unknown as { model: string }).model],
    [id, 'sim/painter'],
  );
  const generation = await read(`/generation?id=${id}`);
  assert.equal([generation.total_cost, generation.streamed, generation.num_media_completion], [cost, false, 1]);
});

it('several pictures come in one reply, and are charged each', async () => {
  for (const n of [1, 3]) {
    const reply = await client.images.generate({ ...ASKED, n });
    assert.is(reply.data?.length, n);
    const { cost, prompt_tokens, completion_tokens } = usageOf(reply);
    const tokens = prompt_tokens * PRICES.prompt + completion_tokens * PRICES.completion;
    assert.ok(Math.abs(cost - tokens - n * PRICES.picture) < 1e-12, String(cost));
  }
});

it('streams one completed event a picture, the last with the usage (rule I102)', async () => {
  const stream = await client.images.generate({ ...ASKED, n: 2, stream: true, partial_images: 2 });
  const events: OpenAI.ImageGenStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  assert.equal(
    events.map(({ type }) => type),
    ['image_generation.completed', 'image_generation.completed'],
  );
  for (const event of events) {
    assert.equal(sizeOf(event.b64_json), [256, 256]);
    assert.equal([event.output_format, (event as { media_type?: string }).media_type], ['png', 'image/png']);
  }
  assert.equal(
    events.map((event) => 'usage' in event),
    [false, true],
  );
  assert.is(usageOf(events[1] as object).cost, usageOf(await client.images.generate({ ...ASKED, n: 2 })).cost);
});

it('the charge is that of the same picture in chat, and the balance falls by it exactly', async () => {
  const { key } = await cluster.fund('1');
  const own = clientOf(key);
  const before = await read('/credits', key);
  const drawn = await own.images.generate(ASKED);
  const between = await read('/credits', key);
  const chat = await own.chat.completions.create({
    model: ASKED.model,
    messages: [{ role: 'user', content: ASKED.prompt }],
    modalities: ['image'],
    image_config: { size: ASKED.size },
  } as never);
  const after = await read('/credits', key);
  const { cost } = usageOf(drawn);
  assert.is(cost, usageOf(chat).cost);
  const spent = (earlier: Record<string, unknown>, later: Record<string, unknown>): number =>
    Number(subtract(String(later.total_usage), String(earlier.total_usage)));
  assert.equal([spent(before, between), spent(between, after)], [cost, cost]);
});

it('a picture refers to others, which are sent and counted as pictures of the prompt', async () => {
  const first = await client.images.generate(ASKED);
  const url = `data:image/png;base64,${first.data?.[0]?.b64_json}`;
  const body = { ...ASKED, input_references: [{ type: 'image_url', image_url: { url } }] };
  const answer = await post('/images', body);
  assert.is(answer.status, 200);
  assert.equal(sizeOf(((await answer.json()) as OpenAI.ImagesResponse).data?.[0]?.b64_json), [256, 256]);
  const generation = await read(`/generation?id=${answer.headers.get('x-generation-id')}`);
  assert.is(generation.num_media_prompt, 1);
});

it('both paths are one route (rule I100)', async () => {
  for (const path of ['/images/generations', '/images']) {
    const answer = await post(path, { ...ASKED, style: 'vivid', moderation: 'low' });
    assert.is(answer.status, 200, path);
    assert.is(answer.headers.get('x-unread-members'), 'style, moderation');
  }
});

const openAi = (): ImageModel =>
  createOpenAI({ apiKey: funded.key, baseURL: cluster.baseUrls[0] as string }).image('sim/painter');
const compatible = (): ImageModel =>
  createOpenAICompatible({ name: 'troupe', apiKey: funded.key, baseURL: cluster.baseUrls[0] as string }).imageModel(
    'sim/painter',
  );

for (const [name, model] of Object.entries({ openai: openAi, 'openai-compatible': compatible })) {
  it(`draws through generateImage of the AI SDK, provider ${name}`, async () => {
    const { image, images } = await generateImage({ model: model(), prompt: 'a red fox', size: '256x256' });
    assert.is(images.length, 1);
    assert.equal(sizeOf(image.base64), [256, 256]);
    assert.is(image.mediaType, 'image/png');
  });
}

it('draws through the OpenRouter SDK, whole and streamed', async () => {
  const openRouter = new OpenRouter({ apiKey: funded.key, serverURL: cluster.baseUrls[0] as string });
  const asked = { model: 'sim/painter', prompt: 'a red fox', resolution: '1K' as const, aspectRatio: '1:1' as const };
  const whole = await openRouter.images.generate({ imageGenerationRequest: asked });
  assert.ok('data' in whole);
  assert.equal(sizeOf(whole.data[0]?.b64Json), [256, 256]);
  assert.is(whole.data[0]?.mediaType, 'image/png');
  assert.ok((whole.usage?.cost ?? 0) > 0);
  const stream = await openRouter.images.generate({ imageGenerationRequest: { ...asked, stream: true } });
  const events: { readonly type: string; readonly usage?: { readonly cost?: number | null } }[] = [];
  for await (const event of stream as unknown as AsyncIterable<(typeof events)[number]>) events.push(event);
  assert.equal(
    events.map(({ type }) => type),
    ['image_generation.completed'],
  );
  assert.is(events[0]?.usage?.cost, whole.usage?.cost);
});

it('GET /images/models lists what draws and what it accepts, without a key, and the OpenRouter SDK reads it', async () => {
  const answer = await send('/images/models', { key: null });
  assert.is(answer.status, 200);
  const { data } = (await answer.json()) as { data: Record<string, unknown>[] };
  assert.equal(
    data.map(({ id }) => id),
    ['sim/painter'],
  );
  const { supported_parameters: parameters, architecture, supports_streaming } = data[0] as Record<string, object>;
  assert.equal(parameters, {
    n: { type: 'range', min: 1, max: 4 },
    resolution: { type: 'enum', values: ['1K', '2K'] },
    aspect_ratio: { type: 'enum', values: ['1:1', '16:9', '9:16', '4:3'] },
    size: { type: 'enum', values: ['64x64', '256x256', '512x512', '1024x1024', '1280x720'] },
    output_format: { type: 'enum', values: ['png'] },
    background: { type: 'enum', values: ['opaque', 'transparent'] },
    seed: { type: 'unknown' },
  });
  assert.equal(architecture, { input_modalities: ['text', 'image'], output_modalities: ['text', 'image'] });
  assert.is(supports_streaming, true);
  const origin = new URL(cluster.baseUrls[0] as string).origin;
  assert.is((await fetch(origin + data[0]?.endpoints)).status, 200);
  const openRouter = new OpenRouter({ apiKey: funded.key, serverURL: cluster.baseUrls[0] as string });
  const listed = await openRouter.images.listModels();
  assert.equal(listed.data[0]?.supportedParameters.n, { type: 'range', min: 1, max: 4 });
  const { id, endpoints } = await openRouter.images.listModelEndpoints({ author: 'sim', slug: 'painter' });
  assert.is(id, 'sim/painter');
  assert.equal(endpoints[0]?.pricing, [
    { billable: 'output_image', unit: 'megapixel', costUsd: 0.02 },
    { billable: 'input_text', unit: 'token', costUsd: 0.000_000_3 },
  ]);
  assert.equal(endpoints[0]?.allowedPassthroughParameters, ['guidance', 'style']);
  for (const [model, message] of [
    ['fast', /^sim\/fast draws no pictures$/],
    ['paintress', /not in the catalogue/],
  ] as const) {
    const none = await send(`/images/models/sim/${model}/endpoints`, { key: null });
    assert.is(none.status, 404);
    assert.match(((await none.json()) as { error: { message: string } }).error.message, message);
  }
});

it('a model of text is 503 naming the modality, whole and streamed, and costs nothing', async () => {
  for (const stream of [false, true]) {
    const error = await failure(() => client.images.generate({ ...ASKED, model: 'sim/fast', size: null, stream }));
    assert.is(error.status, 503);
    assert.match(error.message, /image is not supported/);
  }
});

it('refusals have the common envelope and name the member', async () => {
  const rows: readonly (readonly [object, number, RegExp])[] = [
    [{ prompt: 'x' }, 400, /^model is required$/],
    [{ model: 'sim/painter' }, 400, /^prompt is required$/],
    [{ ...ASKED, n: 11 }, 400, /^n must be at most 10$/],
    [{ ...ASKED, response_format: 'url' }, 400, /^response_format must be "b64_json", not "url"$/],
    [{ ...ASKED, n: 5 }, 503, /: n is not declared/],
    [{ ...ASKED, quality: 'hd' }, 503, /: quality is not declared/],
    [{ ...ASKED, model: 'sim/paintress' }, 404, /sim\/painter/],
  ];
  for (const [body, status, message] of rows) {
    const answer = await post('/images/generations', body);
    assert.is(answer.status, status, JSON.stringify(body));
    const { error } = (await answer.json()) as { error: { code: number; message: string; metadata: object } };
    assert.is(error.code, status);
    assert.match(status === 404 ? JSON.stringify(error.metadata) : error.message, message);
  }
});

it('401 without a valid key, 402 without the money for one picture, before any provider is asked', async () => {
  const calls = (): number => cluster.simulators.reduce((sum, each) => sum + each.calls.length, 0);
  const before = calls();
  const poor = await cluster.fund('0.0001');
  for (const stream of [false, true]) {
    const unknown = await post('/images/generations', { ...ASKED, stream }, `sk-gw-v1-${'0'.repeat(64)}`);
    assert.is(unknown.status, 401);
    const { error } = (await unknown.json()) as { error: object };
    assert.equal(error, {
      code: 401,
      message: 'Missing or invalid API key: the key that was sent is not accepted',
      metadata: { error_type: 'authentication' },
    });
    const short = await failure(() => clientOf(poor.key).images.generate({ ...ASKED, stream }));
    assert.is(short.status, 402);
  }
  assert.is((await post('/images', ASKED, null)).status, 401);
  assert.is(calls(), before);
});

it('an idempotency key makes the repeat of a drawn picture 409, naming its generation', async () => {
  const options = { headers: { 'idempotency-key': `fox-${Date.now()}` } };
  const { response } = await client.images.generate(ASKED, options).withResponse();
  const error = await failure(() => client.images.generate(ASKED, options));
  assert.is(error.status, 409);
  const { metadata } = error.error as { metadata: { generation_id: string } };
  assert.is(metadata.generation_id, response.headers.get('x-generation-id'));
});

test.run();
