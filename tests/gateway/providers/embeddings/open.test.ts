import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FailureCause } from '../../../../gateway/providers/provider-failure.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { bounded } from '../../../support/bounded.ts';
import { eventsOf } from '../played.ts';
import { KEY, LIMITS, startUpstream, type Upstream } from '../upstream.ts';

const it = bounded(test);

let upstream: Upstream;
test.before(async () => {
  upstream = await startUpstream();
});
test.after(() => upstream.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const MESSAGES = ['a', 'b'].map((text) => ({ role: 'user' as const, text }));
const answer = (vectors: readonly (readonly number[])[]): string =>
  JSON.stringify({ data: vectors.map((embedding, index) => ({ index, embedding })) });

async function failure(send: (response: ServerResponse) => void): Promise<ProviderFailure> {
  upstream.answer = (_, response) => send(response);
  try {
    await eventsOf(await upstream.openAs('embeddings', { messages: MESSAGES }));
  } catch (error) {
    assert.instance(error, ProviderFailure);
    return error as ProviderFailure;
  }
  throw new Error('it did not fail');
}

it('one call to the route of embeddings, with the key of the provider, brings every vector', async () => {
  upstream.answer = (_, response) => response.writeHead(200, JSON_TYPE).end(answer([[1], [2]]));
  const attempt = await upstream.openAs('embeddings', { messages: MESSAGES });
  assert.equal(await eventsOf(attempt), [
    { type: 'embeddings', vectors: [[1], [2]] },
    { type: 'finish', reason: 'stop', native: null },
    { type: 'usage', usage: { completionTokens: 0 } },
  ]);
  const { request, body } = upstream.seen.at(-1) as Upstream['seen'][number];
  assert.equal([request.method, request.url], ['POST', '/v1/embeddings']);
  assert.equal([request.headers.authorization, request.headers.accept], [`Bearer ${KEY}`, 'application/json']);
  assert.equal(JSON.parse(body), { model: 'great-1', encoding_format: 'float', input: ['a', 'b'] });
});

it('an answer of more numbers than an answer in words may have is read', async () => {
  const wide = Array.from({ length: 2 }, () => Array(60_000).fill(0.5) as number[]);
  const many = Array.from({ length: 10 }, (_, at) => wide[at % 2] as number[]);
  upstream.answer = (_, response) => response.writeHead(200, JSON_TYPE).end(answer(many));
  const messages = many.map(() => ({ role: 'user' as const, text: 'a' }));
  const [first] = await eventsOf(await upstream.openAs('embeddings', { messages }));
  assert.equal(first?.type === 'embeddings' && first.vectors.map(({ length }) => length), Array(10).fill(60_000));
});

for (const [name, status, cause] of [
  ['a refusal', 400, 'rejected'],
  ['an unknown key', 401, 'misconfigured'],
  ['an unknown model', 404, 'misconfigured'],
  ['a used-up rate', 429, 'overloaded'],
  ['a failure', 500, 'unavailable'],
  ['an overload', 503, 'overloaded'],
] as const satisfies readonly (readonly [string, number, FailureCause])[]) {
  it(`${name} is classified by its status ${status}, as at every provider`, async () => {
    const failed = await failure((response) => response.writeHead(status, JSON_TYPE).end('{"error":{"message":"no"}}'));
    assert.equal([failed.reason, failed.status], [cause, status]);
  });
}

it('a stream, a page and an answer that is no JSON are garbage', async () => {
  for (const [type, body] of [
    ['text/event-stream', 'data: [DONE]\n\n'],
    ['text/html', '<p>Welcome</p>'],
    ['application/json', '{"data":['],
    ['application/json', '[]'],
    ['application/json', '{}'],
  ] as const) {
    const failed = await failure((response) => response.writeHead(200, { 'content-type': type }).end(body));
    assert.is(failed.reason, 'garbage', body);
  }
});

it('an answer without end is cut at its bound', async () => {
  let sent = 0;
  const failed = await failure((response) => {
    response.writeHead(200, JSON_TYPE).write('{"data":[{"index":0,"embedding":[');
    const block = '0.125,'.repeat(16_384);
    const pour = (): void => {
      while (!response.destroyed) {
        sent += block.length;
        if (!response.write(block)) return void response.once('drain', pour);
      }
    };
    pour();
  });
  assert.is(failed.reason, 'garbage');
  assert.ok(sent < 4 * LIMITS.bodyBytesMax, String(sent));
});

test.run();
