import OpenAI, {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { bounded } from '../../support/bounded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster, funded, send } = await openApi(test, openCluster);
const client = clientOf(funded.key);

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: cluster.baseUrls[0] as string, maxRetries: 0 });
}

/** A user message with instructions for the simulated provider. */
function say(directive: object): { role: 'user'; content: string }[] {
  return [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }];
}

const HELLO = [{ role: 'user' as const, content: 'hello' }];

const failure = (run: () => PromiseLike<unknown>): Promise<APIError> => failureOf(run(), APIError);

/** The record of a generation, once it satisfies the predicate. */
async function generation(
  id: string,
  until: (data: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  for (;;) {
    const answer = await send(`/generation?id=${id}`);
    const { data } = (await answer.json()) as { data?: Record<string, unknown> };
    if (data && until(data)) return data;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

it('answers a completion with its charge, its provider and its generation id (rule I45)', async () => {
  const { data, response } = await client.chat.completions
    .create({ model: 'sim/fast', messages: HELLO })
    .withResponse();
  assert.match(data.choices[0]?.message.content ?? '', /x15/);
  assert.is(data.choices[0]?.finish_reason, 'stop');
  assert.is(data.id, response.headers.get('x-generation-id'));
  assert.is(data.id, response.headers.get('x-request-id'));
  assert.match(response.headers.get('x-provider-name') ?? '', /^Sim [AB]$/);
  assert.is(data.usage?.completion_tokens, 16);
  assert.type((data.usage as { cost?: number } | undefined)?.cost, 'number');
});

it('streams the parts of a reply, then its usage with the charge', async () => {
  const stream = await client.chat.completions.create({ model: 'sim/fast', messages: HELLO, stream: true });
  let text = '';
  let finish: string | null = null;
  let last: OpenAI.Chat.ChatCompletionChunk | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    finish = chunk.choices[0]?.finish_reason ?? finish;
    last = chunk;
  }
  assert.match(text, /x1 x2 .*x15/);
  assert.is(finish, 'stop');
  assert.equal(last?.choices, []);
  assert.is(last?.usage?.completion_tokens, 16);
  assert.type((last?.usage as { cost?: number } | undefined)?.cost, 'number');
});

it('works with the stream helper of the SDK', async () => {
  const stream = client.chat.completions.stream({ model: 'sim/fast', messages: say({ text: 'one two three' }) });
  const final = await stream.finalChatCompletion();
  assert.is(final.choices[0]?.message.content?.trim(), 'one two three');
  assert.is(final.choices[0]?.message.role, 'assistant');
});

const TOOLS = [
  { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
];
const CALLS = say({ tool_calls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] });

it('carries tool calls whole and in fragments', async () => {
  const whole = await client.chat.completions.create({ model: 'sim/tools', messages: CALLS, tools: TOOLS });
  assert.is(whole.choices[0]?.finish_reason, 'tool_calls');
  const [call] = whole.choices[0]?.message.tool_calls ?? [];
  assert.is(call?.type === 'function' ? call.function.arguments : null, '{"city":"Oslo"}');
  const stream = client.chat.completions.stream({ model: 'sim/tools', messages: CALLS, tools: TOOLS });
  const final = await stream.finalChatCompletion();
  const [streamed] = final.choices[0]?.message.tool_calls ?? [];
  assert.is(streamed?.type === 'function' ? streamed.function.name : null, 'weather');
  assert.is(streamed?.type === 'function' ? streamed.function.arguments : null, '{"city":"Oslo"}');
});

it('maps every refusal to the error class of its status', async () => {
  const poor = await cluster.fund('0.000001');
  const model = 'sim/fast';
  const bad = await failure(() => client.chat.completions.create({ model, messages: [] }));
  assert.instance(bad, BadRequestError);
  const unknownKey = `sk-gw-v1-${'0'.repeat(64)}`;
  const stranger = await failure(() => clientOf(unknownKey).chat.completions.create({ model, messages: HELLO }));
  assert.instance(stranger, AuthenticationError);
  const nowhere = await failure(() => client.chat.completions.create({ model: 'no/such', messages: HELLO }));
  assert.instance(nowhere, NotFoundError);
  const broke = await failure(() => clientOf(poor.key).chat.completions.create({ model, messages: HELLO }));
  assert.is(broke.status, 402);
  const down = await failure(() => client.chat.completions.create({ model, messages: say({ status: 500 }) }));
  assert.instance(down, InternalServerError);
  assert.is(down.status, 502);
  for (const error of [bad, stranger, nowhere, broke, down]) {
    assert.match(error.requestID ?? '', /^gen-/);
    assert.is(error.code as unknown, error.status);
    assert.type((error.error as { metadata: { error_type: string } }).metadata.error_type, 'string');
  }
});

it('answers 429 with its headers once the budget of the key is used up', async () => {
  const busy = await cluster.fund('10', { perMinute: 3 });
  const errors: APIError[] = [];
  for (let i = 0; i < 8; i++) {
    await clientOf(busy.key)
      .chat.completions.create({ model: 'sim/fast', messages: HELLO })
      .catch((error: APIError) => errors.push(error));
  }
  // A minute may have turned in between, but not two.
  assert.ok(errors.length >= 2 && errors.length <= 5);
  for (const error of errors) {
    assert.instance(error, RateLimitError);
    assert.is(error.headers?.get('x-ratelimit-limit'), '3');
    assert.is(error.headers?.get('x-ratelimit-remaining'), '0');
    assert.ok(Number(error.headers?.get('retry-after')) <= 60);
    assert.ok(Number(error.headers?.get('x-ratelimit-reset')) * 1_000 > Date.now() - 1_000);
  }
});

it('ends a broken stream in an error that the SDK throws, and charges the delivered part', async () => {
  const stream = await client.chat.completions.create({
    model: 'sim/fast',
    messages: say({ tokens: 20, cut_after: 4 }),
    stream: true,
  });
  let id = '';
  const error = await failure(async () => {
    for await (const chunk of stream) id = chunk.id;
  });
  assert.is(error.code as unknown, 502);
  const data = await generation(id, ({ status }) => status === 'settled');
  assert.is(data.estimated, true);
  assert.ok((data.usage as number) > 0);
});

it('answers a failure before the first part as an ordinary error, even if a stream was requested (rule I56)', async () => {
  const error = await failure(() =>
    client.chat.completions.create({ model: 'sim/fast', messages: say({ status: 500 }), stream: true }),
  );
  assert.is(error.status, 502);
});

it('moves to another endpoint before the first part was delivered (rule I132)', async () => {
  const reply = await client.chat.completions.create({
    model: 'sim/fast',
    messages: say({ status: 500, only_on: 'sim-a' }),
  });
  assert.is((reply as unknown as { provider: string }).provider, 'Sim B');
});

it('charges a caller that left midway, and shows the generation while it runs', async () => {
  const stream = await client.chat.completions.create({
    model: 'sim/fast',
    messages: say({ tokens: 400, tps: 50 }),
    stream: true,
  });
  let id = '';
  for await (const chunk of stream) {
    id = chunk.id;
    if (chunk.choices[0]?.delta.content?.includes('x5')) break;
  }
  const data = await generation(id, ({ status }) => status === 'settled');
  assert.is(data.cancelled, true);
  assert.ok((data.usage as number) > 0);
  assert.ok((data.usage as number) <= (data.hold_cost as number));
});

it('releases the hold if the caller aborts before the first part', async () => {
  const controller = new AbortController();
  const running = client.chat.completions.create(
    { model: 'sim/fast', messages: say({ id: 'abort', ttft_ms: 20_000 }) },
    { signal: controller.signal },
  );
  const seen = () => cluster.simulators.some(({ calls }) => calls.some((call) => call.id === 'abort'));
  while (!seen()) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort();
  const error = await failure(() => running);
  assert.instance(error, APIUserAbortError);
  for (;;) {
    const answer = await send('/credits');
    const { data } = (await answer.json()) as { data: { held: number } };
    if (data.held === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
});

it('makes a round trip with a tool: the call is answered and the turn continues', async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather in Oslo?' }];
  const choice = { type: 'function' as const, function: { name: 'weather' } };
  const first = await client.chat.completions.create({
    ...{ model: 'sim/tools', messages, tools: TOOLS, tool_choice: choice },
  });
  const message = first.choices[0]?.message as OpenAI.ChatCompletionMessage;
  const result = { role: 'tool' as const, tool_call_id: message.tool_calls?.[0]?.id ?? '', content: '{"celsius":4}' };
  const second = await client.chat.completions.create({
    ...{ model: 'sim/tools', messages: [...messages, message, result], tools: TOOLS },
  });
  assert.is(second.choices[0]?.finish_reason, 'stop');
  assert.ok((second.usage?.prompt_tokens ?? 0) > (first.usage?.prompt_tokens ?? 0));
});

it('parses an object by its schema', async () => {
  const schema = z.object({ city: z.string(), celsius: z.number() });
  const parsed = await client.chat.completions.parse({
    ...{ model: 'sim/structured', messages: HELLO, response_format: zodResponseFormat(schema, 'weather') },
  });
  assert.ok(schema.safeParse(parsed.choices[0]?.message.parsed).success);
});

it('shows the reasoning of a model, and its tokens, at any effort', async () => {
  // The other provider of this model uses the messages dialect, which does not count reasoning tokens separately.
  const only = { provider: { only: ['sim-c'] } };
  const ask = { model: 'sim/thinker', messages: HELLO, reasoning_effort: 'low' as const, ...only };
  const whole = await client.chat.completions.create(ask);
  assert.match((whole.choices[0]?.message as { reasoning?: string } | undefined)?.reasoning ?? '', /\S/);
  assert.ok((whole.usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0);
  let reasoning = '';
  for await (const chunk of await client.chat.completions.create({ ...ask, stream: true }))
    reasoning += (chunk.choices[0]?.delta as { reasoning?: string } | undefined)?.reasoning ?? '';
  assert.match(reasoning, /\S/);
});

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

it('sends an image, by value and by address, and speech', async () => {
  const parts: OpenAI.ChatCompletionContentPart[] = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: PIXEL } },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
  ];
  const seen = await client.chat.completions.create({
    model: 'sim/vision',
    messages: [{ role: 'user', content: parts }],
  });
  assert.match(seen.choices[0]?.message.content ?? '', /image/);
  const wav = Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(4), Buffer.from('WAVEfmt ')]).toString('base64');
  const spoken: OpenAI.ChatCompletionContentPart[] = [
    { type: 'input_audio', input_audio: { data: wav, format: 'wav' } },
  ];
  const reply = await client.chat.completions.create({
    model: 'sim/vision',
    messages: [{ role: 'user', content: spoken }],
  });
  assert.match(reply.choices[0]?.message.content ?? '', /audio/);
});

it('receives images and speech, whole and streamed, and is charged for them', async () => {
  const drawing = { model: 'sim/painter', messages: HELLO, modalities: ['image', 'text'] as never };
  const drawn = await client.chat.completions.create(drawing);
  const images = (message: object | undefined) =>
    (message as { images?: { image_url: { url: string } }[] }).images ?? [];
  assert.match(images(drawn.choices[0]?.message)[0]?.image_url.url ?? '', /^data:image\/png;base64,/);
  let urls = 0;
  for await (const chunk of await client.chat.completions.create({ ...drawing, stream: true }))
    urls += chunk.choices[0] ? images(chunk.choices[0].delta).length : 0;
  assert.is(urls, 1);
  const speaking = {
    ...{ model: 'sim/speaker', messages: HELLO, modalities: ['text', 'audio'] as never },
    audio: { voice: 'alto', format: 'pcm16' as const },
  };
  const spoken = await client.chat.completions.create({ ...speaking, audio: { voice: 'alto', format: 'wav' } });
  const { audio } = spoken.choices[0]?.message ?? {};
  assert.is(
    Buffer.from(audio?.data ?? '', 'base64')
      .subarray(0, 4)
      .toString(),
    'RIFF',
  );
  assert.match(audio?.transcript ?? '', /\S/);
  let data = '';
  for await (const chunk of await client.chat.completions.create({ ...speaking, stream: true }))
    data += (chunk.choices[0]?.delta as { audio?: { data?: string } } | undefined)?.audio?.data ?? '';
  assert.ok(data.length > 1_000);
  for (const reply of [drawn, spoken]) assert.ok(((reply.usage as { cost?: number } | undefined)?.cost ?? 0) > 0);
});

it('completes a prompt on the older route, whole and streamed, and abandons one', async () => {
  const whole = await client.completions.create({ model: 'sim/fast', prompt: 'hello', max_tokens: 64 });
  assert.is(whole.object, 'text_completion');
  assert.match(whole.choices[0]?.text ?? '', /x15/);
  assert.is(whole.choices[0]?.finish_reason, 'stop');
  assert.type((whole.usage as { cost?: number } | undefined)?.cost, 'number');
  let text = '';
  let usage: OpenAI.CompletionUsage | undefined;
  for await (const chunk of await client.completions.create({ model: 'sim/fast', prompt: 'hello', stream: true })) {
    text += chunk.choices[0]?.text ?? '';
    usage = chunk.usage ?? usage;
  }
  assert.match(text, /x1 x2 .*x15/);
  assert.is(usage?.completion_tokens, 16);
  const prompt = '@sim {"tokens":400,"tps":50}';
  let id = '';
  for await (const chunk of await client.completions.create({ model: 'sim/fast', prompt, stream: true })) {
    id = chunk.id;
    if (chunk.choices[0]?.text.includes('x5')) break;
  }
  assert.is((await generation(id, ({ status }) => status === 'settled')).cancelled, true);
  const empty = await failure(() => client.completions.create({ model: 'sim/fast', prompt: [1] as never }));
  assert.instance(empty, BadRequestError);
});

it('lists and retrieves models through the SDK (rule C10)', async () => {
  const page = await client.models.list();
  assert.ok(page.data.some((model) => model.id === 'sim/fast'));
  const model = await client.models.retrieve('sim/fast');
  assert.is(model.id, 'sim/fast');
  assert.is(model.object, 'model');
  assert.is(model.owned_by, 'sim');
  const error = await failure(() => client.models.retrieve('no/such'));
  assert.instance(error, NotFoundError);
});

test.run();
