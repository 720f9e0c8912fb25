import { Check } from '@sinclair/typebox/value';
import fastify, { type FastifyInstance } from 'fastify';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Frames } from '../../../../gateway/dialects/chat/frames.ts';
import { render } from '../../../../gateway/dialects/chat/render.ts';
import { chatChunk, chatReply } from '../../../../gateway/dialects/chat/reply-schema.ts';
import { chatRequest } from '../../../../gateway/dialects/chat/request-schema.ts';
import { completionDialect } from '../../../../gateway/dialects/completions/completion-dialect.ts';
import { completionReply } from '../../../../gateway/dialects/completions/reply-schema.ts';
import { completionRequest } from '../../../../gateway/dialects/completions/request-schema.ts';
import type { ReplyFrames } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import { renderEnvelope } from '../../../../gateway/edge/envelope.ts';
import type { EdgeRoutes } from '../../../../gateway/edge/http/edge-routes.ts';
import { openApiDocument } from '../../../../gateway/edge/openapi/document.ts';
import { envelopeSchema } from '../../../../gateway/edge/openapi/envelope-schema.ts';
import { OPERATIONS } from '../../../../gateway/edge/openapi/operations.ts';
import { registerRoutes } from '../../../../gateway/edge/routes/register-routes.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { FEATURE_ROWS } from '../../dialects/chat/feature-rows.ts';
import { BASE, tooled } from '../../dialects/chat/request-row.ts';
import { SAMPLING_ROWS } from '../../dialects/chat/sampling-rows.ts';

const it = bounded(test, 20_000);

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId: string; parameters?: Parameter[]; security?: object[] }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
interface Parameter {
  readonly name: string;
  readonly in: string;
}

/** As a reader of the wire has it: text, and nothing that only this process knows. */
const published = JSON.parse(JSON.stringify(openApiDocument(OPERATIONS))) as Document;

/** The routes of the API on a framework of their own; nothing behind them is built. */
async function routed(): Promise<{ app: FastifyInstance; registered: string[]; keyed: string[] }> {
  const registered: string[] = [];
  const keyed: string[] = [];
  const app = fastify({ exposeHeadRoutes: false });
  const guards = { open: pass(), key: pass() };
  app.addHook('onRoute', ({ method, url, onRequest }) => {
    const route = `${String(method).toLowerCase()} ${url.replaceAll(/:(\w+)/g, '{$1}')}`;
    registered.push(route);
    if (onRequest === guards.key) keyed.push(route);
  });
  const routes = {
    gate: { guard: (policy: 'open' | 'key') => guards[policy] },
    services: { rates: { keyPerMinute: 1 } },
  } as unknown as EdgeRoutes;
  await app.register(async (api) => registerRoutes(api, routes), { prefix: '/api/v1' });
  await app.ready();
  return { app, registered, keyed };
}

function pass(): (request: unknown, reply: unknown, done: () => void) => void {
  return (_request, _reply, done) => done();
}

it('the document and the registered routes are the same list', async () => {
  const { app, registered, keyed } = await routed();
  const served = (await app.inject('/api/v1/openapi.json')).json() as Document;
  const documented = Object.entries(served.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} /api/v1${path}`),
  );
  // The prefix itself is one route, with and without its slash.
  const routes = registered.map((route) => (route === 'get /api/v1' ? 'get /api/v1/' : route));
  assert.equal([...new Set(routes)].sort(), documented.sort());
  const secured = Object.entries(served.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) => (security ? [`${method} /api/v1${path}`] : [])),
  );
  assert.equal(secured.sort(), keyed.sort());
  await app.close();
});

it('it is served as it is, and its bytes are the same every time', async () => {
  const { app } = await routed();
  const first = await app.inject('/api/v1/openapi.json');
  assert.is(first.statusCode, 200);
  assert.is(first.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(first.json().components, published.components);
  assert.is((await app.inject('/api/v1/openapi.json')).body, first.body);
  await app.close();
});

it('every reference leads somewhere, every path parameter is described, every operation has a name of its own', () => {
  assert.is(published.openapi, '3.1.0');
  const refs = [...JSON.stringify(published).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  assert.ok(refs.length > 5);
  for (const name of refs) assert.ok(published.components.schemas[name as string], name);
  const ids: string[] = [];
  for (const [path, operations] of Object.entries(published.paths)) {
    for (const { operationId, parameters = [] } of Object.values(operations)) {
      ids.push(operationId);
      const named = parameters.filter((each) => each.in === 'path').map(({ name }) => `{${name}}`);
      assert.equal(named, path.match(/\{\w+\}/g) ?? []);
    }
  }
  assert.is(new Set(ids).size, ids.length, ids.join(' '));
});

it('the published request schemas are the very ones that validate', () => {
  assert.equal(published.components.schemas.ChatRequest, JSON.parse(JSON.stringify(chatRequest)));
  assert.equal(published.components.schemas.CompletionRequest, JSON.parse(JSON.stringify(completionRequest)));
});

it('another validator that reads only the published text agrees with ours on every row of the table', async () => {
  const options = { coerceTypes: false as const, removeAdditional: false, useDefaults: false, strict: false };
  const app = fastify({ ajv: { customOptions: options } });
  const body = published.components.schemas.ChatRequest as object;
  app.post('/', { schema: { body } }, () => 'sound');
  await app.ready();
  let judged = 0;
  for (const [name, { accepts, refuses }] of Object.entries({ ...SAMPLING_ROWS, ...FEATURE_ROWS })) {
    for (const [value, , beside] of [...accepts, ...refuses.map(([wrong]) => [wrong, {}, undefined] as const)]) {
      const text = JSON.stringify({ ...BASE, ...tooled, ...beside, [name]: value });
      const sound = Check(chatRequest, JSON.parse(text));
      const answer = await app.inject({
        method: 'POST',
        url: '/',
        payload: text,
        headers: { 'content-type': 'application/json' },
      });
      assert.is(answer.statusCode, sound ? 200 : 400, `${text.slice(0, 200)}: ${answer.body.slice(0, 200)}`);
      judged++;
    }
  }
  assert.ok(judged > 200);
  await app.close();
});

const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'P' };
const EVENTS: readonly TurnEvent[] = [
  { type: 'reasoning-delta', text: 'hm' },
  { type: 'reasoning-detail', detail: { type: 'reasoning.text', text: 'hm', index: 0 } },
  { type: 'text-delta', text: 'Hello' },
  { type: 'refusal-delta', text: 'no' },
  { type: 'tool-start', index: 0, id: 'c', name: 'f' },
  { type: 'tool-delta', index: 0, arguments: '{}' },
  { type: 'image', url: 'data:image/png;base64,AAAA', index: 0 },
  { type: 'audio-delta', id: 'a', data: 'AAAA', transcript: 'x', expiresAt: 1 },
  { type: 'finish', reason: 'tool_calls', native: null },
];
const CLOSING = {
  usage: { promptTokens: 5, completionTokens: 2, cachedTokens: 1 },
  cost: '0.1',
  honoured: { seed: true },
};

/** The chunks of a whole stream, parsed. */
function framesOf(frames: ReplyFrames): unknown[] {
  const text = EVENTS.map((event) => frames.of([event])).join('') + frames.end(CLOSING);
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  assert.ok(lines.length > 1);
  return lines.map((line) => JSON.parse(line.slice(6)));
}

it('what is rendered is what is published', () => {
  for (const events of [EVENTS, [], EVENTS.slice(0, 3)]) {
    for (const closing of [CLOSING, null]) {
      const reply = JSON.parse(render(HEAD, events, closing, false));
      assert.ok(Check(chatReply, reply), JSON.stringify(reply));
    }
  }
  const chunks = framesOf(new Frames(HEAD, { hidden: false, dispatch: false }));
  assert.ok(chunks.length >= EVENTS.length);
  for (const chunk of chunks) assert.ok(Check(chatChunk, chunk), JSON.stringify(chunk));
  const completion = completionDialect('Once');
  for (const closing of [CLOSING, null]) {
    assert.ok(Check(completionReply, JSON.parse(completion.whole(HEAD, EVENTS, closing))));
  }
  for (const frame of framesOf(completion.frames(HEAD)))
    assert.ok(Check(completionReply, frame), JSON.stringify(frame));
  const error = new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: 'x',
    metadata: { rejections: [] },
  });
  assert.ok(Check(envelopeSchema, JSON.parse(renderEnvelope(error))));
});

test.run();
