import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { exhausted } from '../../../../gateway/inference/exhausted.ts';
import type { Adapter } from '../../../../gateway/providers/adapter.ts';
import type { RefusalSink } from '../../../../gateway/providers/call/open.ts';
import { type Target, targetOf } from '../../../../gateway/providers/call/target.ts';
import { chatAdapter } from '../../../../gateway/providers/chat/adapter.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import type { Candidate } from '../../../../gateway/terms/plan.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { ManualClock } from '../../outbound/manual-clock.ts';
import { eventsOf, joined } from '../played.ts';
import { turnOf } from '../scene.ts';
import { KEY, startUpstream, type Upstream } from '../upstream.ts';

const it = bounded(test);
const FOLDER = join(import.meta.dirname ?? '.', '../../../fixtures/transcripts');
const DIALECTS = ['chat', 'messages'] as const;

async function using(run: (upstream: Upstream) => Promise<void>, clock?: ManualClock): Promise<void> {
  const upstream = await startUpstream(clock);
  try {
    await run(upstream);
  } finally {
    await upstream.close();
  }
}

/** The failure of opening it or reading it to the end. */
async function failing(work: Promise<Parameters<typeof eventsOf>[0]>): Promise<ProviderFailure> {
  try {
    await eventsOf(await work);
  } catch (error) {
    assert.instance(error, ProviderFailure);
    return error as ProviderFailure;
  }
  throw new Error('it did not fail');
}

it('calls each dialect on its own route with its own credentials', async () => {
  await using(async (upstream) => {
    for (const dialect of DIALECTS) {
      const stream = readFileSync(join(FOLDER, `${dialect}-text.sse`));
      upstream.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
      };
      const attempt = await upstream.openAs(dialect, { stream: true });
      assert.is(joined(await eventsOf(attempt))[0]?.type, 'text-delta');
    }
    const [chat, messages] = upstream.seen.map(({ request }) => request);
    assert.is(chat?.url, '/v1/chat/completions');
    assert.is(chat?.headers.authorization, `Bearer ${KEY}`);
    assert.is(messages?.url, '/v1/messages');
    assert.is(messages?.headers['x-api-key'], KEY);
    assert.is(messages?.headers['anthropic-version'], '2023-06-01');
    assert.is(messages?.headers.authorization, undefined);
  });
});

it('the body of a call may be an upload with a type of its own, and its refusal is noted without its bytes', async () => {
  const pieces = ['--b\r\n', 'bytes', '\r\n--b--'];
  const text = pieces.join('');
  const uploading: Adapter = {
    ...chatAdapter,
    writer: () => () => ({
      type: 'multipart/form-data; boundary=b',
      length: text.length,
      async *chunks() {
        for (const piece of pieces) yield Buffer.from(piece);
      },
    }),
  };
  await using(async (upstream) => {
    upstream.answer = (_, response) => void response.writeHead(400).end('no');
    const noted: unknown[] = [];
    const note: RefusalSink = (raw, _, { body }) => void noted.push([raw, body]);
    await failing(upstream.openAs('chat', {}, {}, note, uploading));
    const [call] = upstream.seen;
    assert.is(call?.body, text);
    const headers = call?.request.headers ?? {};
    assert.is(headers['content-type'], 'multipart/form-data; boundary=b');
    assert.is(headers['content-length'], String(text.length));
    assert.is(headers.accept, 'application/json');
    assert.is(headers.authorization, `Bearer ${KEY}`);
    assert.equal(noted, [['no', null]]);
  });
});

it('an adapter addresses a call by model and streaming, and credentials may be made for each call', async () => {
  const addressing: Adapter = {
    ...chatAdapter,
    credential: 'none',
    address: ({ upstreamId }, stream) => `/models/${upstreamId}:${stream ? 'stream?alt=sse' : 'whole'}`,
  };
  const signer: Target['signer'] = async ({ method, url, headers, body, clock }) => {
    const facts = [method, url.path, headers.includes('traceparent'), String(body).length > 20, clock.now() > 0];
    return ['x-signature', facts.join(' ')];
  };
  await using(async (upstream) => {
    upstream.answer = (_, response) => void response.writeHead(500).end();
    for (const stream of [true, false]) {
      await failing(upstream.openAs('chat', { stream }, {}, undefined, addressing, signer));
    }
    const calls = upstream.seen.map(({ request }) => [request.url, request.headers['x-signature']]);
    assert.equal(calls, [
      ['/v1/models/great-1:stream?alt=sse', 'POST /v1/models/great-1:stream?alt=sse false true true'],
      ['/v1/models/great-1:whole', 'POST /v1/models/great-1:whole false true true'],
    ]);
    assert.is(upstream.seen[0]?.request.headers.authorization, undefined);
  });
});

it('declared headers, parameters of the address and the form of the key belong to every call', async () => {
  await using(async (upstream) => {
    const baseUrl = `http://127.0.0.1:${upstream.port}/v1`;
    const wire = {
      headers: { 'Anthropic-Version': '2026-01-01', 'anthropic-beta': 'context-1m' },
      query: { 'api-version': 'a b' },
      credential: 'api-key',
    } as const;
    for (const dialect of DIALECTS) {
      await failing(upstream.openAs(dialect, {}, { target: { dialect, baseUrl, upstreamId: 'great-1', wire } }));
    }
    for (const { request } of upstream.seen) {
      const { headers, url } = request;
      assert.match(url as string, /\?api-version=a\+b$/);
      assert.equal(
        [headers['anthropic-version'], headers['anthropic-beta'], headers['api-key']],
        ['2026-01-01', 'context-1m', KEY],
      );
      assert.equal([headers.authorization, headers['x-api-key']], [undefined, undefined]);
    }
    assert.is(upstream.seen.length, DIALECTS.length);
  });
});

// rule I7
it('forwards only the conversation id of the client, escaped so that it cannot end a header (rule I7)', async () => {
  await using(async (upstream) => {
    for (const dialect of DIALECTS) await failing(upstream.openAs(dialect, { conversation: 'a b\r\nx-evil: 1\u00e9' }));
    for (const { request } of upstream.seen) {
      assert.is(request.headers['x-session-id'], 'a%20b%0d%0ax-evil:%201%c3%a9');
      const standard = ['accept', 'accept-encoding', 'content-length', 'content-type', 'host', 'user-agent'];
      const own = ['anthropic-version', 'authorization', 'connection', 'x-api-key', 'x-session-id'];
      for (const name of Object.keys(request.headers)) assert.ok([...standard, ...own].includes(name), name);
    }
  });
});

it('a whole answer of either dialect becomes the same parts', async () => {
  const bodies: Readonly<Record<(typeof DIALECTS)[number], object>> = {
    chat: {
      id: 'up',
      choices: [
        {
          message: {
            content: '',
            reasoning_details: [
              { type: 'reasoning.summary', summary: 'one' },
              { type: 'reasoning.summary', summary: 'two' },
              { type: 'reasoning.server_tool_call', tool_name: 'x' },
            ],
            images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
            audio: { id: 'a', data: 'AAAA', expires_at: 9, transcript: 'Hi' },
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          logprobs: { content: [{ token: 'x' }], refusal: null },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    },
    messages: {
      id: 'up',
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'server_tool_use', id: 's', name: 'x', input: {} },
        { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: null },
    },
  };
  const usage = { type: 'usage', usage: { promptTokens: 3, completionTokens: 4 } };
  const wanted: Readonly<Record<(typeof DIALECTS)[number], object[]>> = {
    chat: [
      { type: 'reasoning-detail', detail: { type: 'reasoning.summary', summary: 'one' } },
      { type: 'reasoning-detail', detail: { type: 'reasoning.summary', summary: 'two' } },
      { type: 'image', url: 'data:image/png;base64,AAAA', index: 0 },
      { type: 'audio-delta', id: 'a', data: 'AAAA', transcript: 'Hi', expiresAt: 9 },
      { type: 'tool-start', index: 0, id: 'c', name: 'f' },
      { type: 'tool-delta', index: 0, arguments: '{}' },
      { type: 'logprobs', content: [{ token: 'x' }] },
      { type: 'finish', reason: 'tool_calls', native: 'tool_calls' },
      usage,
    ],
    messages: [
      { type: 'reasoning-delta', text: 'hm' },
      {
        type: 'reasoning-detail',
        detail: { type: 'reasoning.text', text: 'hm', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 },
      },
      { type: 'image', url: 'data:image/png;base64,AAAA', index: 0 },
      { type: 'tool-start', index: 0, id: 'c', name: 'f' },
      { type: 'tool-delta', index: 0, arguments: '{"a":1}' },
      { type: 'finish', reason: 'tool_calls', native: 'tool_use' },
      usage,
    ],
  };
  await using(async (upstream) => {
    for (const dialect of DIALECTS) {
      upstream.answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(bodies[dialect]));
      };
      const attempt = await upstream.openAs(dialect);
      assert.equal(await eventsOf(attempt), wanted[dialect]);
      assert.is(attempt.upstreamId, 'up');
    }
  });
});

/** Every place where a provider could echo its key. */
const ECHOES: readonly (readonly [string, number, string, string])[] = [
  ['a body of 401', 401, 'application/json', `{"error":{"message":"Incorrect API key provided: ${KEY}"}}`],
  ['a body of 400', 400, 'text/plain', KEY],
  ['an in-band error', 200, '', `{"error":{"message":"${KEY}","type":"${KEY}","code":"${KEY}"}}`],
  [
    'an in-band error of the messages dialect',
    200,
    '',
    `{"type":"error","error":{"type":"${KEY}","message":"${KEY}"}}`,
  ],
  ['a text instead of an error object', 200, '', `{"error":"${KEY}"}`],
  ['a body that is not JSON', 200, '', `${KEY}`],
  ['a content type', 200, `text/${KEY}`, '{}'],
];
for (const [where, status, type, body] of ECHOES) {
  for (const stream of [false, true]) {
    it(`its key in ${where} is in no ${stream ? 'stream failure' : 'failure'}, for the log or for the caller`, async () => {
      await using(async (upstream) => {
        for (const dialect of DIALECTS) {
          const own = stream ? 'text/event-stream' : 'application/json';
          upstream.answer = (_, response) => {
            response.writeHead(status, { 'content-type': type || own });
            response.end(stream && status === 200 ? `event: error\ndata: ${body}\n\n` : body);
          };
          const failure = await failing(upstream.openAs(dialect, { stream }));
          const trial = { turn: turnOf(), plan: { candidates: [], rejections: [] } };
          const error = exhausted([{ candidate: { endpoint: endpointOf() } as Candidate, failure }], trial);
          const texts = [failure.message, failure.stack, error.message, error.detail, JSON.stringify(error.metadata)];
          for (const text of texts) assert.not.ok(text?.includes(KEY), `${dialect}: ${text}`);
        }
      });
    });
  }
}

it('an in-band error keeps its cause: overloaded, rejected, misconfigured or unavailable', async () => {
  const rows: readonly (readonly [object, string])[] = [
    [{ code: 429 }, 'overloaded'],
    [{ code: 400 }, 'rejected'],
    [{ type: 'overloaded_error' }, 'overloaded'],
    [{ type: 'authentication_error' }, 'misconfigured'],
    [{ code: 'context_length_exceeded' }, 'rejected'],
    [{ type: 'timeout_error' }, 'timeout'],
    [{ type: 'api_error' }, 'unavailable'],
    [{}, 'unavailable'],
  ];
  await using(async (upstream) => {
    for (const dialect of DIALECTS) {
      for (const [error, reason] of rows) {
        upstream.answer = (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
        };
        const failure = await failing(upstream.openAs(dialect, { stream: true }));
        assert.is(failure.reason, reason, `${dialect} ${JSON.stringify(error)}`);
      }
    }
  });
});

it('a refusal for length is the 400 of the caller, with the sizes that the provider named and nothing else of its text (rule I119)', async () => {
  const message = `This model's maximum context length is 8192 tokens. However, you requested 8700 tokens (6600 in the messages, 2100 in the completion). ${KEY}`;
  await using(async (upstream) => {
    for (const dialect of DIALECTS) {
      for (const stream of [false, true]) {
        for (const status of [400, 413]) {
          upstream.answer = (_, response) => {
            response.writeHead(status, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }));
          };
          const failure = await failing(upstream.openAs(dialect, { stream }));
          assert.is(failure.category, 'context_length_exceeded');
          assert.equal([failure.repeatable, failure.counted], [false, false]);
          const trial = { turn: turnOf(), plan: { candidates: [], rejections: [] } };
          const error = exhausted([{ candidate: { endpoint: endpointOf() } as Candidate, failure }], trial);
          assert.equal([error.status, error.type], [400, 'context_length_exceeded']);
          assert.is(error.headers['x-should-retry'], 'false');
          assert.match(error.message, /: 6600 tokens of prompt, 2100 of completion, at most 8192 are accepted$/);
          const [previous] = error.metadata.previous_errors as Record<string, unknown>[];
          const { code, context_length, prompt_tokens, completion_tokens } = previous ?? {};
          assert.equal(
            [code, context_length, prompt_tokens, completion_tokens],
            ['context_length_exceeded', 8192, 6600, 2100],
          );
          assert.not.ok(JSON.stringify(error).includes(KEY) || failure.message.includes(KEY));
        }
      }
    }
  });
});

it('a refusal that is too long to read, is not JSON or says nothing of length is rejected by its status', async () => {
  const sentence = 'prompt is too long: 9 tokens > 8 maximum';
  const bodies = [
    JSON.stringify({ error: { message: sentence, more: 'x'.repeat(20_000) } }),
    sentence,
    JSON.stringify({ error: { message: 'the messages must alternate' } }),
    '',
  ];
  await using(async (upstream) => {
    for (const body of bodies) {
      upstream.answer = (_, response) => void response.writeHead(400).end(body);
      assert.is((await failing(upstream.openAs('chat'))).reason, 'rejected');
    }
  });
});

// rule I134
it('endless comments and pings run into the idle time-out on the given clock (rule I134)', async () => {
  const clock = new ManualClock();
  await using(async (upstream) => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write(': still here\n\nevent: ping\ndata: {"type":"ping"}\n\n'), 2);
      response.on('close', () => clearInterval(timer));
    };
    const attempt = await upstream.openAs('messages', { stream: true });
    const failure = failing(Promise.resolve(attempt));
    for (let at = 0; at < 10; at++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      clock.advance(1_000);
    }
    assert.is((await failure).reason, 'timeout');
  }, clock);
});

it('an endpoint with an invalid address or dialect is misconfigured', () => {
  for (const target of [
    { dialect: 'chat', baseUrl: 'nowhere', upstreamId: 'm' },
    { dialect: 'chat', baseUrl: 'file:///etc/passwd', upstreamId: 'm' },
    { dialect: 'other', baseUrl: 'https://a.test', upstreamId: 'm' },
  ]) {
    try {
      targetOf(endpointOf({ target: target as Endpoint['target'] }), null);
      assert.unreachable();
    } catch (error) {
      assert.is((error as ProviderFailure).reason, 'misconfigured');
    }
  }
});

it('the words of a 503 are awaited for a moment only: another endpoint waits for its turn', async () => {
  // The clock of the connection stands still, so no limit of the call ends it.
  await using(async (upstream) => {
    const heard: string[] = [];
    const note: RefusalSink = (raw) => void heard.push(raw);
    upstream.answer = (_, response) => void response.writeHead(503).end('overloaded');
    assert.is((await failing(upstream.openAs('chat', {}, {}, note))).reason, 'overloaded');
    assert.equal(heard, ['overloaded']);
    upstream.answer = (_, response) => void response.writeHead(503).write('over');
    assert.is((await failing(upstream.openAs('chat', {}, {}, note))).reason, 'overloaded');
    assert.is(heard.length, 1);
  }, new ManualClock());
});

test.run();
