import Anthropic, { APIError, AuthenticationError, BadRequestError, NotFoundError } from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { bounded } from '../../support/bounded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { say } from '../../support/provider/say.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** The SDK of the messages dialect, unchanged: it posts below the base address that it is given. */
const it = bounded(test);

const { cluster, funded } = await openApi(test, openCluster);
const client = clientOf(funded.key);

function clientOf(apiKey: string, node = 0): Anthropic {
  const baseURL = (cluster.baseUrls[node] as string).replace(/\/v1$/, '');
  return new Anthropic({ apiKey, baseURL, maxRetries: 0 });
}

const HELLO = [{ role: 'user' as const, content: 'hello' }];
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A model at providers of the chat dialect, and one at a provider of the messages dialect. */
const MODELS = ['sim/tools', 'sim/scribe'];

const failure = (run: () => PromiseLike<unknown>): Promise<APIError> => failureOf(run(), APIError);

it('answers a message with its charge, its generation id and both counts', async () => {
  const { data, response } = await client.messages
    .create({ model: 'sim/fast', max_tokens: 50, messages: HELLO })
    .withResponse();
  assert.equal(
    [data.type, data.role, data.stop_reason, data.stop_sequence],
    ['message', 'assistant', 'end_turn', null],
  );
  const [block] = data.content;
  assert.match(block?.type === 'text' ? block.text : '', /x15/);
  assert.is(data.id, response.headers.get('x-generation-id'));
  assert.is((data as { _request_id?: string })._request_id, data.id);
  assert.match(response.headers.get('x-provider-name') ?? '', /^Sim [AB]$/);
  assert.is(data.usage.output_tokens, 16);
  assert.ok(data.usage.input_tokens > 0);
  assert.type((data.usage as unknown as { cost: unknown }).cost, 'number');
  assert.not.ok('heimdall' in data.usage);
});

it('the stream helper builds the same message from its events (rule I79)', async () => {
  const stream = client.messages.stream({ model: 'sim/fast', max_tokens: 50, messages: HELLO });
  const names: string[] = [];
  let text = '';
  stream.on('streamEvent', ({ type }) => names.push(type));
  stream.on('text', (piece) => {
    text += piece;
  });
  const final = await stream.finalMessage();
  assert.match(text, /x1 x2 .*x15/);
  assert.is(await stream.finalText(), text);
  assert.is(final.usage.output_tokens, 16);
  assert.is(final.stop_reason, 'end_turn');
  assert.equal([names[0], names.at(-2), names.at(-1)], ['message_start', 'message_delta', 'message_stop']);
});

it('counts that no provider reported are 0 and named (rule I74)', async () => {
  const request = { model: 'sim/no-usage', max_tokens: 50, messages: HELLO };
  const both = ['input_tokens', 'output_tokens'];
  for (const { usage } of [
    await client.messages.create(request),
    await client.messages.stream(request).finalMessage(),
  ]) {
    assert.equal([usage.input_tokens, usage.output_tokens], [0, 0]);
    const { heimdall } = usage as unknown as { heimdall: { unreported: string[] } };
    assert.equal(heimdall.unreported, both);
  }
});

it('the tool runner runs a tool and continues with its result, whole and streamed', async () => {
  for (const stream of [false, true]) {
    const asked: string[] = [];
    const weather = betaZodTool({
      name: 'weather',
      description: 'Returns the weather',
      inputSchema: z.object({ city: z.string() }),
      run: ({ city }) => {
        asked.push(city);
        return `4 degrees in ${city}`;
      },
    });
    const request = {
      model: 'sim/tools',
      max_tokens: 200,
      stream,
      max_iterations: 3,
      messages: HELLO,
      tools: [weather],
    };
    const final = await client.beta.messages.toolRunner(request).runUntilDone();
    assert.equal([final.stop_reason, asked], ['end_turn', ['x']]);
  }
});

it('the tool runner falls back from a thread, so that the provider reads the whole conversation', async () => {
  for (const stream of [false, true]) {
    const before = callsOf('sim-a').length;
    const weather = betaZodTool({
      name: 'weather',
      description: 'Returns the weather',
      inputSchema: z.object({ city: z.string() }),
      run: () => '4 degrees',
    });
    const final = await client.beta.messages
      .toolRunner({
        ...{ model: 'sim/tools', max_tokens: 200, stream, max_iterations: 3, messages: HELLO, tools: [weather] },
        ...({ provider: { only: ['sim-a'] } } as object),
      })
      .runUntilDone();
    assert.is(final.stop_reason, 'end_turn');
    const calls = callsOf('sim-a').slice(before);
    const { messages } = (calls.at(-1)?.body ?? {}) as { readonly messages: readonly { readonly role: string }[] };
    assert.equal([calls.length, messages.map(({ role }) => role)], [2, ['user', 'assistant', 'tool']]);
    assert.match(JSON.stringify(messages), /hello.*weather.*4 degrees/);
  }
});

it('a thread of its own is refused with the error class of the SDK, whole and streamed', async () => {
  for (const send of ['send', 'stream'] as const) {
    const thread = client.beta.messages.thread({ model: 'sim/fast', max_tokens: 50 });
    const error = await failure(async () => {
      const answer = thread[send]({ role: 'user', content: 'hello' });
      return 'finalMessage' in answer ? answer.finalMessage() : answer;
    });
    assert.instance(error, Anthropic.ThreadUnsupportedRequestError);
    assert.equal(
      [error.status, error.type, error.errorCode],
      [400, 'invalid_request_error', 'thread_unsupported_request'],
    );
    assert.match(error.apiMessage ?? '', /^thread must be null/);
  }
});

it('parallel tools arrive as blocks, and their results continue the conversation', async () => {
  const calls = [
    { name: 'weather', arguments: '{"city":"Oslo"}' },
    { name: 'ping', arguments: '' },
  ];
  const tools = ['weather', 'ping'].map((name) => ({ name, input_schema: { type: 'object' as const } }));
  for (const model of MODELS) {
    const request = { model, max_tokens: 200, messages: say({ tool_calls: calls }), tools };
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const { content, stop_reason } of [whole, streamed]) {
      assert.is(stop_reason, 'tool_use');
      assert.equal(
        content.map((block) => (block.type === 'tool_use' ? [block.name, block.input] : block.type)),
        [
          ['weather', { city: 'Oslo' }],
          ['ping', {}],
        ],
      );
    }
    const results = whole.content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'no such city', is_error: true }]
        : [],
    );
    const next = await client.messages.create({
      ...request,
      messages: [...HELLO, { role: 'assistant', content: whole.content }, { role: 'user', content: results }],
    });
    assert.is(next.stop_reason, 'end_turn');
  }
});

it('thinking is shown with its signature and sent back, at both kinds of providers', async () => {
  for (const provider of ['sim-c', 'sim-d']) {
    const request = {
      ...{ model: 'sim/thinker', max_tokens: 400, messages: HELLO, thinking: { type: 'adaptive' as const } },
      ...{ provider: { only: [provider] } },
    };
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    for (const { content } of [whole, streamed]) {
      const [thought] = content;
      assert.ok(thought?.type === 'thinking', JSON.stringify(content));
      assert.match(thought.type === 'thinking' ? thought.thinking : '', /^r1 .*r16 $/);
      assert.match(thought.type === 'thinking' ? thought.signature : '', /./);
      assert.is(content.at(-1)?.type, 'text');
    }
    const before = callsOf(provider);
    await client.messages.create({
      ...request,
      messages: [...HELLO, { role: 'assistant', content: streamed.content }, ...HELLO],
    });
    const [sent] = callsOf(provider).slice(before.length);
    assert.match(JSON.stringify(sent?.body), provider === 'sim-c' ? /"reasoning_details":\[\{/ : /"type":"thinking"/);
  }
});

function callsOf(provider: string): readonly { readonly body: unknown }[] {
  return cluster.simulators['abcd'.indexOf(provider.at(-1) as string)]?.calls ?? [];
}

it('a picture is seen, and a system turn among the messages is read', async () => {
  const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL };
  for (const model of ['sim/vision', 'sim/scribe']) {
    const { content } = await client.messages.create({
      ...{ model, max_tokens: 50, system: [{ type: 'text', text: 'Look.', cache_control: { type: 'ephemeral' } }] },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', source },
          ],
        },
      ],
    });
    const [block] = content;
    assert.match(block?.type === 'text' ? block.text : '', /image/);
  }
});

it('a generated picture is one block, whole and streamed; a speaking model answers in text, or 422 (rule I77)', async () => {
  const request = { model: 'sim/painter', max_tokens: 50, messages: HELLO, modalities: ['text', 'image'] };
  const whole = (await client.messages.create(request)).content as unknown as Record<string, unknown>[];
  const stream = (await client.messages.stream(request).finalMessage()).content as unknown as Record<string, unknown>[];
  for (const content of [whole, stream]) {
    const picture = content.find(({ type }) => type === 'image') as { source: Record<string, string> } | undefined;
    assert.equal([picture?.source.type, picture?.source.media_type], ['base64', 'image/png']);
    assert.match(picture?.source.data ?? '', /^iVBOR/);
  }
  const speech = await failure(() => client.messages.create({ ...request, modalities: ['audio'] } as typeof request));
  assert.equal([speech.status, speech.type], [422, 'invalid_request_error']);
});

it('results of a search and documents of blocks reach a provider of the dialect whole', async () => {
  const found = {
    ...{ type: 'search_result' as const, source: 'https://s.test/a', title: 'A', citations: { enabled: true } },
    content: [{ type: 'text' as const, text: 'It is five.' }],
  };
  const source = { type: 'content' as const, content: [{ type: 'text' as const, text: 'Once.' }] };
  const content = [found, { type: 'document' as const, source, title: 'T' }];
  const answered = [{ type: 'tool_result' as const, tool_use_id: 'toolu_1', content: [found] }];
  const call = { type: 'tool_use' as const, id: 'toolu_1', name: 'search', input: {} };
  const before = callsOf('sim-d').length;
  await client.messages.create({
    ...{ model: 'sim/scribe', max_tokens: 50, tools: [{ name: 'search', input_schema: { type: 'object' } }] },
    messages: [
      { role: 'user', content },
      { role: 'assistant', content: [call] },
      { role: 'user', content: answered },
    ],
  });
  const { body } = callsOf('sim-d')[before] as { readonly body: Anthropic.MessageCreateParams };
  assert.equal([body.messages[0]?.content, body.messages[2]?.content], [content, answered]);
});

it('a refusal says why where its provider does, whole and streamed (rule I81)', async () => {
  const request = { max_tokens: 50, messages: say({ refusal: 'I will not.' }) };
  for (const [model, details] of [
    ['sim/scribe', { type: 'refusal', category: 'cyber', explanation: 'simulated refusal' }],
    ['sim/tools', undefined],
  ] as const) {
    const whole = await client.messages.create({ ...request, model });
    const streamed = await client.messages.stream({ ...request, model }).finalMessage();
    assert.equal([whole.stop_reason, whole.stop_details], ['refusal', details]);
    assert.equal([streamed.stop_reason, streamed.stop_details ?? undefined], ['refusal', details]);
  }
});

it('the matched stop sequence is named (rule I81)', async () => {
  const request = { model: 'sim/scribe', max_tokens: 50, stop_sequences: ['END'] };
  const messages = say({ finish: 'stop_sequence', text: 'one two' });
  const { stop_reason, stop_sequence } = await client.messages.create({ ...request, messages });
  assert.equal([stop_reason, stop_sequence], ['stop_sequence', 'END']);
  const cut = await client.messages.stream({ ...request, messages: say({ tokens: 60 }) }).finalMessage();
  assert.is(cut.stop_reason, 'max_tokens');
});

it('counts tokens without a call and without a charge (rule I78)', async () => {
  const before = cluster.simulators.flatMap(({ calls }) => calls).length;
  const count = (text: string): PromiseLike<{ input_tokens: number }> =>
    client.messages.countTokens({
      model: 'sim/fast',
      system: 'Be brief.',
      messages: [{ role: 'user', content: text }],
    });
  const short = await count('hello');
  const long = await count('hello '.repeat(1_000));
  assert.ok(short.input_tokens > 5 && short.input_tokens < 60, `${short.input_tokens}`);
  assert.ok(long.input_tokens - short.input_tokens >= 990, `${long.input_tokens}`);
  assert.is(cluster.simulators.flatMap(({ calls }) => calls).length, before);
  const unknown = await failure(() => client.messages.countTokens({ model: 'no/such', messages: HELLO }));
  assert.instance(unknown, NotFoundError);
  const bad = await failure(() => client.messages.countTokens({ model: 'sim/fast', messages: [] }));
  assert.equal([bad.status, bad.type], [400, 'invalid_request_error']);
});

it('every refusal has the error class of its status and a word of the dialect, whole and streamed (rule I82)', async () => {
  const poor = await cluster.fund('0.000001');
  const hosted = { type: 'web_search_20250305' as const, name: 'web_search' as const };
  const table: readonly (readonly [number, string, object, (string | undefined)?])[] = [
    [400, 'invalid_request_error', { temperature: 3 }],
    [400, 'invalid_request_error', { tools: [hosted] }],
    [402, 'billing_error', {}, poor.key],
    [404, 'not_found_error', { model: 'no/such' }],
    [502, 'api_error', { messages: say({ status: 500 }) }],
    [503, 'overloaded_error', { provider: { only: ['nobody'] } }],
  ];
  for (const [status, type, more, key] of table) {
    for (const stream of [false, true]) {
      const request = { model: 'sim/fast', max_tokens: 50, messages: HELLO, stream, ...more };
      const error = await failure(() => clientOf(key ?? funded.key).messages.create(request));
      assert.equal([error.status, error.type], [status, type], error.message);
      assert.match(error.requestID ?? '', /^gen-/);
    }
  }
  assert.instance(
    await failure(() => client.messages.create({ model: 'sim/fast', max_tokens: 0, messages: HELLO })),
    BadRequestError,
  );
  const stranger = clientOf(`sk-gw-v1-${'0'.repeat(64)}`);
  const refused = await failure(() => stranger.messages.create({ model: 'sim/fast', max_tokens: 5, messages: HELLO }));
  assert.instance(refused, AuthenticationError);
  // Without it Claude Code repeats the request for minutes before it shows the message.
  assert.is(refused.headers?.get('x-should-retry'), 'false');
});

it('a stream that breaks off ends in an error that the SDK throws', async () => {
  const messages = say({ tokens: 20, cut_after: 4 });
  const stream = client.messages.stream({ model: 'sim/fast', max_tokens: 50, messages });
  const error = await failure(() => stream.finalMessage());
  assert.is(error.type, 'api_error');
});

it('a bearer token is accepted as well as the header of the dialect (rule K1)', async () => {
  const baseURL = (cluster.baseUrls[1] ?? (cluster.baseUrls[0] as string)).replace(/\/v1$/, '');
  const bearer = new Anthropic({ authToken: funded.key, apiKey: null, baseURL, maxRetries: 0 });
  const { content } = await bearer.beta.messages.create({
    ...{ model: 'sim/fast', max_tokens: 50, messages: HELLO, betas: ['interleaved-thinking-2025-05-14'] },
  });
  assert.is(content.length, 1);
});

test.run();
