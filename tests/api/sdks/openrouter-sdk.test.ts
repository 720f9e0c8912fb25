import { OpenRouter } from '@openrouter/sdk';
import type { ChatRequest, ChatResult, ChatStreamChunk } from '@openrouter/sdk/models';
import * as errors from '@openrouter/sdk/models/errors';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { say } from '../../support/provider/say.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** This SDK validates every member of every answer, so these tests hold our answers to its schemas. */
const it = bounded(test);

const { cluster, funded } = await openApi(test, openCluster);
const client = clientOf(funded.key);

function clientOf(apiKey: string): OpenRouter {
  return new OpenRouter({ apiKey, serverURL: cluster.baseUrls[0] as string, retryConfig: { strategy: 'none' } });
}

const HELLO = { model: 'sim/fast', messages: [{ role: 'user' as const, content: 'hello' }] };

/** The SDK has one type for both forms of an answer; `stream` selects the form. */
async function whole(chatRequest: ChatRequest, of = client): Promise<ChatResult> {
  return (await of.chat.send({ chatRequest })) as ChatResult;
}

async function streamed(
  chatRequest: ChatRequest,
  { of = client, signal }: { of?: OpenRouter; signal?: AbortSignal } = {},
): Promise<AsyncIterable<ChatStreamChunk>> {
  const answer = await of.chat.send({ chatRequest: { ...chatRequest, stream: true } }, signal ? { signal } : {});
  return answer as AsyncIterable<ChatStreamChunk>;
}

const failure = (run: () => PromiseLike<unknown>): Promise<errors.OpenRouterError> =>
  failureOf(run(), errors.OpenRouterError);

it('answers a completion that validates, with its charge (rule I49)', async () => {
  const reply = await whole(HELLO);
  assert.match(String(reply.choices[0]?.message.content), /x15/);
  assert.is(reply.choices[0]?.finishReason, 'stop');
  assert.is(reply.usage?.completionTokens, 16);
  assert.ok((reply.usage?.cost ?? 0) > 0);
});

it('streams chunks that validate, the usage last (rule I49)', async () => {
  const stream = await streamed(HELLO);
  let text = '';
  let cost: number | null | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    cost = chunk.usage?.cost;
  }
  assert.match(text, /x1 x2 .*x15/);
  assert.ok((cost ?? 0) > 0);
});

const TOOLS = [
  {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  },
];

it('makes a round trip with a tool, whole and streamed', async () => {
  const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];
  const first = await whole({ model: 'sim/tools', messages, tools: TOOLS });
  const message = first.choices[0]?.message;
  assert.is(first.choices[0]?.finishReason, 'tool_calls');
  const [call] = message?.toolCalls ?? [];
  assert.is(call?.function.name, 'weather');
  const answered = {
    model: 'sim/tools',
    tools: TOOLS,
    messages: [
      ...messages,
      { role: 'assistant' as const, content: null, toolCalls: [call as NonNullable<typeof call>] },
      { role: 'tool' as const, toolCallId: call?.id ?? '', content: '{"celsius":4}' },
    ],
  };
  const second = await whole(answered);
  assert.is(second.choices[0]?.finishReason, 'stop');
  const stream = await streamed({ model: 'sim/tools', messages, tools: TOOLS });
  let json = '';
  for await (const chunk of stream)
    for (const fragment of chunk.choices[0]?.delta.toolCalls ?? []) json += fragment.function?.arguments ?? '';
  assert.equal(JSON.parse(json), { city: 'x' });
});

it('requests an object by its schema', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const reply = await whole({
    ...{ ...HELLO, model: 'sim/structured' },
    responseFormat: { type: 'json_schema', jsonSchema: { name: 'weather', schema } },
  });
  assert.type((JSON.parse(String(reply.choices[0]?.message.content)) as { city: string }).city, 'string');
});

it('shows the reasoning of a model as details that validate, whole and streamed', async () => {
  const ask = { ...HELLO, model: 'sim/thinker', reasoning: { effort: 'low' as const } };
  const reply = await whole(ask);
  assert.match(reply.choices[0]?.message.reasoning ?? '', /\S/);
  assert.ok((reply.choices[0]?.message.reasoningDetails ?? []).length > 0);
  let details = 0;
  for await (const chunk of await streamed(ask)) details += chunk.choices[0]?.delta.reasoningDetails?.length ?? 0;
  assert.ok(details > 0);
});

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

it('sends an image and receives one', async () => {
  const content = [
    { type: 'text' as const, text: 'What is this?' },
    { type: 'image_url' as const, imageUrl: { url: PIXEL } },
  ];
  const seen = await whole({ model: 'sim/vision', messages: [{ role: 'user', content }] });
  assert.match(String(seen.choices[0]?.message.content), /image/);
  const drawn = await whole({ ...HELLO, model: 'sim/painter', modalities: ['image', 'text'] });
  assert.match(drawn.choices[0]?.message.images?.[0]?.imageUrl.url ?? '', /^data:image\/png;base64,/);
  // Speech cannot be requested: the SDK's own schema drops `audio` from the request.
});

it('throws the error class of each status, with the envelope in it', async () => {
  const poor = await cluster.fund('0.000001');
  const send = (of: OpenRouter, more: object) => () => whole({ ...HELLO, ...more }, of);
  const table = [
    [send(client, { messages: [] }), errors.BadRequestResponseError, 400],
    [send(clientOf(`sk-gw-v1-${'0'.repeat(64)}`), {}), errors.UnauthorizedResponseError, 401],
    [send(clientOf(poor.key), {}), errors.PaymentRequiredResponseError, 402],
    [send(client, { model: 'no/such' }), errors.NotFoundResponseError, 404],
    [send(client, { messages: say({ status: 500 }) }), errors.BadGatewayResponseError, 502],
    [send(client, { provider: { only: ['nobody'] } }), errors.ServiceUnavailableResponseError, 503],
  ] as const;
  for (const [run, type, status] of table) {
    const error = await failure(run);
    assert.instance(error, type, `${status}: ${error.name} ${error.message}`);
    assert.is(error.statusCode, status);
    const { error: envelope } = JSON.parse(error.body) as { error: { code: number; metadata: object } };
    assert.is(envelope.code, status);
  }
  const busy = await cluster.fund('10', { perMinute: 1 });
  const refused: unknown[] = [];
  for (let i = 0; i < 4; i++)
    await clientOf(busy.key)
      .chat.send({ chatRequest: HELLO })
      .catch((error: unknown) => refused.push(error));
  assert.ok(refused.length >= 2);
  for (const error of refused) assert.instance(error, errors.TooManyRequestsResponseError);
});

it('shows an error inside a stream as a chunk that validates', async () => {
  const stream = await streamed({ ...HELLO, messages: say({ tokens: 20, cut_after: 4 }) });
  const codes: number[] = [];
  let finish: unknown;
  for await (const chunk of stream) {
    if (chunk.error) codes.push(chunk.error.code);
    finish = chunk.choices[0]?.finishReason ?? finish;
  }
  assert.equal(codes, [502]);
  assert.is(finish, 'error');
});

it('reads key, credits and generation with the members that this SDK requires (rule K18)', async () => {
  const reply = await whole(HELLO);
  const { data: key } = await client.apiKeys.getCurrentKeyMetadata();
  assert.ok(key.usage > 0);
  assert.is(key.isManagementKey, false);
  const { data: credits } = await client.credits.getCredits();
  assert.is(credits.totalCredits, 10);
  assert.ok(credits.totalUsage > 0);
  const { data: generation } = await client.generations.getGeneration({ id: reply.id });
  assert.is(generation.id, reply.id);
  assert.is(generation.usage, reply.usage?.cost);
  assert.is(generation.providerResponses?.length, 1);
  const error = await failure(() => client.generations.getGeneration({ id: 'gen-0' }));
  assert.instance(error, errors.NotFoundResponseError);
});

it('lists models page by page, and counts them', async () => {
  const first = (await client.models.list({ limit: 2 })).result;
  assert.is(first.data.length, 2);
  const { data: count } = await client.models.count();
  assert.is(first.totalCount, count.count);
  assert.match(String(first.links.next), /^\/api\/v1\/models\?.*offset=2/);
  const { data, links } = (await client.models.list()).result;
  assert.is(links.next, null);
  const fast = data.find(({ id }) => id === 'sim/fast');
  assert.type(fast?.pricing.prompt, 'string');
});

it('accepts the endpoints of a model, except for two members that differ here (rule C2)', async () => {
  const error = await client.endpoints.list({ author: 'sim', slug: 'fast' }).then(
    () => null,
    (error: unknown) => error as errors.ResponseValidationError,
  );
  // They are null and a boolean here, and two objects in this SDK.
  const lines = (error?.pretty() ?? '').split('\n').filter((line) => line.includes('at data.'));
  const named = new Set(lines.map((line) => line.replace(/^.*endpoints\[\d+\]\./, '')));
  assert.equal([...named].sort(), ['perf_last_30m_by_workload', 'supports_tool_choice']);
});

it('aborts a stream with the signal of the SDK, and the delivered part is charged', async () => {
  const { key } = await cluster.fund('10');
  const leaver = clientOf(key);
  const leave = new AbortController();
  const request = { ...HELLO, messages: say({ tokens: 400, tps: 50 }) };
  const stream = await streamed(request, { of: leaver, signal: leave.signal });
  let id = '';
  try {
    for await (const chunk of stream) {
      id = chunk.id;
      if (chunk.choices[0]?.delta.content?.includes('x5')) leave.abort();
    }
  } catch (error) {
    assert.match(String(error), /abort/i);
  }
  for (;;) {
    const { data } = await leaver.generations.getGeneration({ id });
    if (data.cancelled !== true) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      continue;
    }
    assert.ok(data.usage > 0);
    break;
  }
});

test.run();
