import { Type } from 'typebox';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../actors/runtime/index.ts';
import { change } from '../../../../gateway/operator/http/change.ts';
import { isAbsent, operatorRoute, PortAnswer } from '../../../../gateway/operator/http/operator-route.ts';
import { listed, listQuery, pageOf } from '../../../../gateway/operator/http/pages.ts';
import { bounded } from '../../../support/bounded.ts';
import { answerTo, clusterOf, openPort, type Port, TOKEN } from '../port.ts';

const it = bounded(test);

const KEYSET = Type.Object({ n: Type.Integer() });
const NUMBERS = [1, 2, 3, 4, 5];
const runs: string[] = [];

const ROUTES = [
  operatorRoute({ method: 'GET', path: '/health', policy: 'open', summary: '', answer: () => ({ status: 'ok' }) }),
  operatorRoute({
    method: 'GET',
    path: '/text',
    policy: 'viewer',
    summary: '',
    answer: () => new PortAnswer({ status: 202, type: 'text/plain', body: 'words', headers: ['x-more', '1'] }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/things/:name',
    policy: 'viewer',
    summary: '',
    query: Type.Object({ size: Type.Optional(Type.Integer({ minimum: 1 })), full: Type.Optional(Type.Boolean()) }),
    answer: ({ params, query }) => {
      if (params.name === 'none') throw isAbsent(params.name);
      if (params.name === 'broken') throw new Error('unexpected detail');
      if (params.name === 'busy') throw new AskError('account:a', { code: 'busy', retryAfterMs: 1 });
      return { ...params, ...query };
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/numbers',
    policy: 'viewer',
    summary: '',
    query: listQuery({}),
    answer: ({ query }) => {
      const { after, limit } = pageOf(query, KEYSET);
      const found = NUMBERS.filter((n) => n > (after?.n ?? 0)).slice(0, limit + 1);
      return listed(found, limit, { keyOf: (n) => ({ n }), entryOf: (n) => n });
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/api/echo',
    policy: 'viewer',
    summary: '',
    body: Type.Object({ text: Type.String({ minLength: 1 }) }),
    answer: ({ body }) => body,
  }),
  change({
    path: '/api/things/:name/turn',
    summary: '',
    members: { by: Type.Integer() },
    plan: ({ params, body }) => ({
      would: `turn ${params.name}`,
      command: 'troupe turn',
      audit: { action: 'thing.turn', target: params.name, detail: { by: body.by } },
      run: async () => {
        runs.push(params.name);
        return { did: `turned ${params.name}`, by: body.by };
      },
    }),
  }),
];

let port: Port;
const asked: { to: string; event: object }[] = [];
test.before(async () => {
  port = await openPort(ROUTES);
});
test.before.each(() => {
  port.cluster = clusterOf({ ask: async (to: string, event: object) => asked.push({ to, event }) });
});
test.after(() => port.close());

const error = (status: number, code: string, message: string, member?: string): string =>
  `${status} ${JSON.stringify({ error: { code, message, ...(member === undefined ? {} : { member }) } })}`;
const MISSING = error(404, 'not_found', 'no such path');
const DENIED = error(401, 'unauthorized', 'the operator token is missing or wrong');
const HEALTHY = '200 {"status":"ok"}';
const NUL = 'must not contain the character U+0000';
const invalid = (member: string, rule: string): string => error(400, 'invalid_request', `${member} ${rule}`, member);

/** The answer to each request with the token; without one all but the first four are denied. */
const ROWS: readonly (readonly [method: string, target: string, permitted: string, denied?: string])[] = [
  ['GET', '/health', HEALTHY, HEALTHY],
  ['GET', '/health?x', HEALTHY, HEALTHY],
  ['GET', '/health#x', HEALTHY, HEALTHY],
  ['GET', 'http://x/health', error(400, 'invalid_request', 'The request target must be a path')],
  ['GET', '/health/', MISSING],
  ['GET', '/Health', MISSING],
  ['GET', '/health;x', MISSING],
  ['GET', '/x/../health', MISSING],
  ['GET', '//', MISSING],
  ['GET', '/%zz', MISSING],
  ['GET', '/__proto__', MISSING],
  ['GET', '/api/things', MISSING],
  ['GET', '/api/things/a/', MISSING],
  ['GET', '/api/things/a', '200 {"name":"a"}'],
  ['GET', '/api/things/a%2Fb', '200 {"name":"a/b"}'],
  ['GET', '/api/things/a?size=2&full=true', '200 {"name":"a","size":2,"full":true}'],
  ['GET', '/api/things/a?size=0', invalid('size', 'must be at least 1')],
  ['GET', '/api/things/a?size=x', invalid('size', 'must be an integer')],
  ['GET', '/api/things/a?size=1&size=2', invalid('size', 'was sent twice')],
  ['GET', '/api/things/a?size=%00', invalid('size', NUL)],
  ['GET', '/api/things/a%00b', invalid('name', NUL)],
  ['GET', '/api/things/a?Size=1', invalid('Size', 'is not known in the query')],
  ['GET', '/api/things/a?__proto__=1', invalid('__proto__', 'is not known in the query')],
  ['GET', '/api/things/none', error(404, 'not_found', 'there is no none')],
  ['GET', '/api/things/busy', error(503, 'busy', 'account:a is busy; try again in 1 s')],
  ['GET', '/api/things/broken', error(500, 'internal', 'the request failed; see the log of the node')],
  ['POST', '/api/things/a', error(405, 'method_not_allowed', 'this path takes GET')],
  ['HEAD', '/health', '405 '],
  ['DELETE', '/nothing', MISSING],
];

it('every spelling of a request has one answer with the token and one without (rule E32)', async () => {
  for (const [method, target, permitted, open] of ROWS) {
    assert.is(await answerTo(port, method, target), permitted, `${method} ${target}`);
    const denied = method === 'HEAD' ? '401 ' : target.startsWith('/') ? (open ?? DENIED) : permitted;
    for (const token of [null, 'x', `${TOKEN}x`])
      assert.is(await answerTo(port, method, target, { token }), denied, `${method} ${target}`);
  }
  assert.equal(port.logged, ['Error: unexpected detail']);
});

it('an answer may be text with a status and headers of its own, and is never kept by a cache', async () => {
  const answer = await fetch(`${port.url}/text`, { headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal([answer.status, await answer.text()], [202, 'words']);
  const shown = ['content-type', 'x-more', 'cache-control', 'x-content-type-options'];
  assert.equal(
    shown.map((name) => answer.headers.get(name)),
    ['text/plain', '1', 'no-store', 'nosniff'],
  );
});

it('a list goes on from its cursor to the end, and refuses the cursor of another list', async () => {
  const pages: number[][] = [];
  let next: string | null = '';
  while (next !== null) {
    const cursor: string = next === '' ? '' : `&cursor=${next}`;
    const page = JSON.parse((await answerTo(port, 'GET', `/api/numbers?limit=2${cursor}`)).slice(4));
    pages.push(page.data);
    next = page.next;
  }
  assert.equal(pages, [[1, 2], [3, 4], [5]]);
  const foreign = Buffer.from('{"m":1}').toString('base64url');
  const broken = Buffer.from(JSON.stringify({ n: 1, id: '\0' })).toString('base64url');
  for (const cursor of ['x', foreign, broken]) {
    const answer = await answerTo(port, 'GET', `/api/numbers?cursor=${cursor}`);
    assert.is(answer, invalid('cursor', 'is not the cursor of a page of this list'));
  }
  assert.is(await answerTo(port, 'GET', '/api/numbers?limit=201'), invalid('limit', 'must be at most 200'));
});

it('a body is checked by its schema, and bounded', async () => {
  const post = (body: string) => answerTo(port, 'POST', '/api/echo', { body });
  assert.is(await post('{"text":"a"}'), '200 {"text":"a"}');
  assert.is(await post('{"text":1}'), invalid('text', 'must be a string'));
  assert.is(await post('{}'), invalid('text', 'is required'));
  assert.is(await post('{"text":"a","more":1}'), invalid('more', 'is not known in the body'));
  assert.is(await post('[]'), error(400, 'invalid_request', 'the body must be a JSON object'));
  assert.is(await post('{'), error(400, 'invalid_request', 'the body must be JSON'));
  const large = await post(JSON.stringify({ text: 'x'.repeat(64 * 1024) }));
  assert.is(large, error(413, 'too_large', 'the body has more than 65536 bytes'));
  assert.is(await answerTo(port, 'POST', '/api/echo', { body: '{', token: null }), DENIED);
});

it('a change needs a reason, tells what it would do, and is recorded before it begins', async () => {
  const turn = (body: object) => answerTo(port, 'POST', '/api/things/a/turn', { body: JSON.stringify(body) });
  assert.is(await turn({ by: 1 }), invalid('reason', 'is required'));
  assert.is(await turn({ by: 1, reason: '' }), invalid('reason', 'must not be empty'));
  assert.is(await turn({ by: 1, reason: ' ' }), invalid('reason', 'must match \\S'));
  assert.is(await turn({ by: 1, reason: 'x'.repeat(501) }), invalid('reason', 'must have at most 500 characters'));
  assert.is(await turn({ reason: 'r' }), invalid('by', 'is required'));
  const dry = await turn({ by: 1, reason: 'r', dryRun: true });
  assert.is(dry, '200 {"would":"turn a","command":"troupe turn"}');
  assert.equal([runs, asked], [[], []]);

  assert.is(await turn({ by: 1, reason: 'r' }), '200 {"did":"turned a","by":1}');
  assert.equal(runs, ['a']);
  const by = { kind: 'operator', id: 'operator token', address: 'v4-127.0.0.1' };
  const event = { type: 'audit.record', action: 'thing.turn', target: 'a', by, detail: { by: 1, reason: 'r' } };
  assert.equal(asked, [{ to: 'audit:operator/log', event: { ...event, result: 'done' } }]);

  port.cluster = clusterOf({ ask: () => Promise.reject(new AskError('audit:operator', { code: 'lost' })) });
  assert.match(await turn({ by: 1, reason: 'r' }), /^504 .*the change may have been made/);
  assert.equal(runs, ['a']);
});

it('a starting node reports only its health', async () => {
  port.cluster = null;
  assert.is(await answerTo(port, 'GET', '/health'), HEALTHY);
  for (const path of ['/api/things/a', '/nothing']) {
    assert.is(await answerTo(port, 'GET', path), error(503, 'starting', 'the node is starting'));
    assert.is(await answerTo(port, 'GET', path, { token: null }), DENIED);
  }
});

test.run();
