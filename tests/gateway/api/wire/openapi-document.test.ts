import { Ajv } from 'ajv';
import { Check } from 'typebox/value';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ERROR_TYPES } from '../../../../actors/terms/refusal.ts';
import { OPERATIONS, openApiRoute } from '../../../../gateway/api/api-routes.ts';
import { feedEnded, feedOpened } from '../../../../gateway/api/events/event-object.ts';
import { feedEventSchema } from '../../../../gateway/api/events/event-schema.ts';
import { envelopeSchema, openApiDocument } from '../../../../gateway/api/wire/openapi-document.ts';
import type { Operation } from '../../../../gateway/api/wire/operation.ts';
import { ChatFrames } from '../../../../gateway/dialects/chat/frames.ts';
import { render } from '../../../../gateway/dialects/chat/render.ts';
import { chatChunk, chatReply } from '../../../../gateway/dialects/chat/reply-schema.ts';
import { chatRequest } from '../../../../gateway/dialects/chat/request-schema.ts';
import { completionReplyDialect } from '../../../../gateway/dialects/completions/completion-dialect.ts';
import { completionReply } from '../../../../gateway/dialects/completions/reply-schema.ts';
import { completionRequest } from '../../../../gateway/dialects/completions/request-schema.ts';
import { embeddingsDialect } from '../../../../gateway/dialects/embeddings/embeddings-dialect.ts';
import { embeddingsReply } from '../../../../gateway/dialects/embeddings/reply-schema.ts';
import { imagesDialect } from '../../../../gateway/dialects/images/images-dialect.ts';
import { imagesEvent, imagesReply } from '../../../../gateway/dialects/images/reply-schema.ts';
import { imagesRequest } from '../../../../gateway/dialects/images/request-schema.ts';
import { messagesRequest } from '../../../../gateway/dialects/messages/request-schema.ts';
import { renderEnvelope } from '../../../../gateway/dialects/reply/error-envelope.ts';
import type { ReplyFrames } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import { responsesError, responsesEvent, responsesReply } from '../../../../gateway/dialects/responses/reply-schema.ts';
import { responsesRequest } from '../../../../gateway/dialects/responses/request-schema.ts';
import { responsesDialect, responsesReplyDialect } from '../../../../gateway/dialects/responses/responses-dialect.ts';
import type { RequestContext } from '../../../../gateway/edge/request-context.ts';
import type { Route, RoutePolicy } from '../../../../gateway/edge/route.ts';
import type { RouteAnswer } from '../../../../gateway/http/write-answer.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { apiTable } from '../../../support/route-table.ts';
import { FEATURE_ROWS } from '../../dialects/chat/feature-rows.ts';
import { BASE, tooled } from '../../dialects/chat/request-row.ts';
import { SAMPLING_ROWS } from '../../dialects/chat/sampling-rows.ts';

const it = bounded(test);

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

/** The document as a client parses it from the wire, without state of this process. */
const published = JSON.parse(JSON.stringify(openApiDocument(OPERATIONS))) as Document;

/** The document as the API serves it. */
async function served(): Promise<{ readonly type: string; readonly text: string; readonly document: Document }> {
  const route = apiTable().find(({ path }) => path === '/openapi.json') as Route;
  const answer = (await route.answer({} as RequestContext)) as RouteAnswer;
  const text = String(answer.body);
  return { type: answer.type, text, document: JSON.parse(text) };
}

/** The kind of key that the document names for each policy. */
const KINDS: Readonly<Record<RoutePolicy, Operation['key']>> = {
  unguarded: undefined,
  open: undefined,
  key: 'inference',
  admit: 'inference',
  management: 'management',
  provider: 'provider',
};

it('the document and the registered routes list the same operations (rule E12)', async () => {
  const { document } = await served();
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  );
  const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
    // The prefix itself is one route, with and without its slash.
    `${method.toLowerCase()} ${path === '' ? '/' : path.replaceAll(/:(\w+)/g, '{$1}')}`;
  assert.equal([...new Set(apiTable().map(nameOf))].sort(), documented.sort());
  const secured = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) => (security ? [`${method} ${path}`] : [])),
  );
  const needs = Object.entries(OPERATIONS).flatMap(([route, { key }]) => (key === undefined ? [] : [{ route, key }]));
  assert.equal(
    secured.sort(),
    needs.map(({ route }) => route.replace(/^\w+/, (method) => method.toLowerCase())).sort(),
  );
  for (const { policy, ...route } of apiTable()) {
    const { key } = OPERATIONS[nameOf(route).replace(/^\w+/, (method) => method.toUpperCase())] as Operation;
    assert.is(key, KINDS[policy], nameOf(route));
  }
});

it('the document says of every route that names what nothing reads (rule I2)', () => {
  const naming = apiTable().filter(({ body }) => body?.type === 'json' && body.members !== undefined);
  const named = naming.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  const lists = ['GET /models', 'HEAD /models', 'GET /embeddings/models'];
  const said = Object.entries(OPERATIONS).flatMap(([route, { namesUnread }]) => (namesUnread ? [route] : []));
  assert.ok(
    named.includes('POST /batches') && named.includes('POST /keys') && named.includes('PATCH /workspaces/{id}'),
  );
  assert.equal(said.sort(), [...named, ...lists].sort());
});

it('a route that is not registered is absent from the document', async () => {
  const fewer = openApiRoute(apiTable().filter(({ path }) => path !== '/credits'));
  const { body } = (await fewer.answer({} as RequestContext)) as RouteAnswer;
  const { paths } = JSON.parse(String(body)) as Document;
  assert.not.ok('/credits' in paths);
  assert.ok('/key' in paths);
});

it('the served document equals the rendered one, and its bytes are the same on every request', async () => {
  const { type, text, document } = await served();
  assert.is(type, 'application/json; charset=utf-8');
  assert.equal(document.components, published.components);
  assert.is((await served()).text, text);
});

it('every reference resolves, every path parameter is described, every operation id is unique', () => {
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

/** A schema without its descriptions; a member that is named so stays. */
function wordless(schema: unknown, isMembers = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => wordless(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(JSON.parse(JSON.stringify(schema)) as object)
      .filter(([name]) => isMembers || name !== 'description')
      .map(([name, value]) => [name, wordless(value, !isMembers && name === 'properties')]),
  );
}

interface Described {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly description?: string; readonly schema?: object }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description?: string;
        readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>;
      }
    >
  >;
}

/** Words that carry no meaning of their own. */
const FILLERS = new Set('a an and are for in is it its of or that the this to what which'.split(' '));
const stemOf = (word: string): string => word.toLowerCase().replace(/ies$/, 'y').replace(/s$/, '');

/** True for words that say no more than the name: fewer than two of their stems are not in it. */
function repeats(name: string, words: string): boolean {
  const known = new Set(name.split(/[^A-Za-z0-9]+/).map(stemOf));
  const stems = [...words.matchAll(/[A-Za-z0-9]+/g)].map(([word]) => stemOf(word));
  return new Set(stems.filter((stem) => !FILLERS.has(stem) && !known.has(stem))).size < 2;
}

/** What one operation lacks. */
function lacking({ body, policy }: Route, operation: Described): readonly string[] {
  const { summary = '', description = '', tags = [], parameters = [], requestBody, responses } = operation;
  const [status = '', answer] = Object.entries(responses).find(([name]) => name !== 'default') ?? [];
  const types = Object.entries(answer?.content ?? {});
  const isTold =
    status === '101' ||
    types.some(([type]) => type === 'application/octet-stream') ||
    (types.length === 1 && types[0]?.[0] === 'text/event-stream') ||
    types.some(([type, { schema }]) => type === 'application/json' && schema?.$ref !== undefined);
  const failure = JSON.stringify(responses.default ?? {});
  const sent = Object.values(requestBody?.content ?? {});
  return [
    ...(summary === '' ? ['summary'] : []),
    ...(description === '' || description.startsWith(summary) ? ['description'] : []),
    ...(repeats('the answer', answer?.description ?? '') ? ['words of the answer'] : []),
    ...(tags.length === 1 ? [] : ['tag']),
    ...parameters
      .filter(({ name, schema, description: words = '' }) => !schema || repeats(name, words))
      .map(({ name }) => `words of the parameter ${name}`),
    ...(body !== undefined && !sent.some(({ schema }) => schema?.$ref) ? ['schema of the request'] : []),
    ...(isTold ? [] : ['schema of the reply']),
    ...(failure.includes('#/components/schemas/Error"') || policy === 'unguarded' ? [] : ['error envelope']),
  ];
}

it('every route has words of its own for itself, its parameters and its answer, and schemas of request, reply and failure', () => {
  const paths = published.paths as unknown as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const lacks = apiTable().flatMap((route) => {
    const path = route.path === '' ? '/' : route.path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = paths[path]?.[route.method.toLowerCase()];
    const found = operation === undefined ? ['operation'] : lacking(route, operation);
    return found.map((what) => `${route.method} ${route.path} lacks its ${what}`);
  });
  assert.equal(lacks, []);
  const summaries = Object.values(OPERATIONS).map(({ summary }) => summary);
  assert.is(new Set(summaries).size, summaries.length);
});

it('a route reads the members of the schema that is published for its body', () => {
  let compared = 0;
  for (const { method, path, body } of apiTable()) {
    if (body?.type !== 'json' || body.members === undefined) continue;
    const { body: schemas = {} } = OPERATIONS[`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`] ?? {};
    const members = Object.values(schemas).flatMap(({ properties = {} }: { properties?: object }) =>
      Object.keys(properties),
    );
    assert.equal([...body.members].sort(), [...new Set(members)].sort(), `${method} ${path}`);
    compared++;
  }
  assert.is(compared, 9);
});

/** A constant is described by its value. */
const isConstant = (words: string): boolean => /^Always \S+/.test(words);

it('every member of every schema is described, and not by its name in other words', () => {
  const lacks = new Set<string>();
  const walk = (schema: unknown, at: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, value] of Object.entries(schema)) {
      if (name === 'properties') {
        for (const [member, own] of Object.entries(value as Readonly<Record<string, { description?: string }>>)) {
          const words = own.description ?? '';
          if (words === '' || (repeats(member, words) && !isConstant(words))) lacks.add(`${at}: ${member}: ${words}`);
          walk(own, `${at}.${member}`);
        }
      } else walk(value, at);
    }
  };
  for (const [name, schema] of Object.entries(published.components.schemas)) walk(schema, name);
  assert.equal([...lacks], []);
  assert.ok(repeats('hash', 'The hash.') && repeats('file_id', 'Id of the file'));
});

it('the published request schemas are the objects that validate requests (rule E12)', () => {
  const { ChatRequest, ImagesRequest, MessagesRequest, CompletionRequest, ResponsesRequest } =
    published.components.schemas;
  assert.equal(wordless(ChatRequest), wordless(chatRequest));
  assert.equal(wordless(ImagesRequest), wordless(imagesRequest));
  assert.equal(wordless(MessagesRequest), wordless(messagesRequest));
  assert.equal(wordless(CompletionRequest), wordless(completionRequest));
  assert.equal(wordless(ResponsesRequest), wordless(responsesRequest));
});

it('another validator that reads only the published text agrees with ours on every row of the table', () => {
  const validates = new Ajv({ strict: false }).compile(published.components.schemas.ChatRequest as object);
  let judged = 0;
  for (const [name, { accepts, refuses }] of Object.entries({ ...SAMPLING_ROWS, ...FEATURE_ROWS })) {
    for (const [value, , beside] of [...accepts, ...refuses.map(([wrong]) => [wrong, {}, undefined] as const)]) {
      const text = JSON.stringify({ ...BASE, ...tooled, ...beside, [name]: value });
      const sound = Check(chatRequest, JSON.parse(text));
      assert.is(validates(JSON.parse(text)), sound, `${text.slice(0, 200)}: ${JSON.stringify(validates.errors)}`);
      judged++;
    }
  }
  assert.ok(judged > 200);
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

/** The chunks of a complete stream, parsed. */
function framesOf(frames: ReplyFrames): unknown[] {
  const text = EVENTS.map((event) => frames.of([event])).join('') + frames.end(CLOSING);
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  assert.ok(lines.length > 1);
  return lines.map((line) => JSON.parse(line.slice(6)));
}

it('rendered replies and frames match the published schemas', () => {
  for (const events of [EVENTS, [], EVENTS.slice(0, 3)]) {
    for (const closing of [CLOSING, null]) {
      const reply = JSON.parse(render(HEAD, events, closing, false));
      assert.ok(Check(chatReply, reply), JSON.stringify(reply));
    }
  }
  const chunks = framesOf(new ChatFrames(HEAD, { hidden: false, dispatch: false }));
  assert.ok(chunks.length >= EVENTS.length);
  for (const chunk of chunks) assert.ok(Check(chatChunk, chunk), JSON.stringify(chunk));
  const completion = completionReplyDialect('Once');
  for (const closing of [CLOSING, null]) {
    assert.ok(Check(completionReply, JSON.parse(completion.whole(HEAD, EVENTS, closing))));
  }
  for (const frame of framesOf(completion.frames(HEAD)))
    assert.ok(Check(completionReply, frame), JSON.stringify(frame));
  const vectors: readonly TurnEvent[] = [{ type: 'embeddings', vectors: [[0.5, -1]] }];
  for (const [encoding_format, closing] of [
    ['float', CLOSING],
    ['base64', null],
  ] as const) {
    const { reply } = embeddingsDialect.parse({ model: 'a/b', input: 'x', encoding_format }, null);
    assert.ok(Check(embeddingsReply, JSON.parse(reply.whole(HEAD, vectors, closing))));
  }
  const responses = responsesReplyDialect({ model: 'a/b' });
  for (const closing of [CLOSING, null]) {
    const reply = JSON.parse(responses.whole(HEAD, EVENTS, closing));
    assert.ok(Check(responsesReply, reply), JSON.stringify(reply));
  }
  for (const frame of framesOf(responses.frames(HEAD))) assert.ok(Check(responsesEvent, frame), JSON.stringify(frame));
  const error = new GatewayError({
    status: 503,
    type: 'provider_overloaded',
    message: 'x',
    metadata: { rejections: [] },
  });
  const images = imagesDialect.parse({ model: 'a/b', prompt: 'x' }, null).reply;
  for (const closing of [CLOSING, null]) {
    const reply = JSON.parse(images.whole(HEAD, EVENTS, closing));
    assert.ok(Check(imagesReply, reply), JSON.stringify(reply));
  }
  const drawn = images.frames(HEAD);
  const events = drawn.of([...EVENTS, { type: 'error', error }]).matchAll(/^data: (.*)$/gm);
  for (const [, event] of events) assert.ok(Check(imagesEvent, JSON.parse(event as string)), event);
  assert.ok(Check(envelopeSchema, JSON.parse(renderEnvelope(error))));
  const refused = responsesDialect.errorEnvelope(true)(error, 'gen-1');
  assert.ok(Check(responsesError, JSON.parse(String(refused.body))));
  for (const event of [feedOpened(1_750_000_000_000, true), feedEnded(error)])
    assert.ok(Check(feedEventSchema, JSON.parse(event.text)), event.text);
});

it('the published envelope lists every error type (rule E1)', () => {
  const { components } = openApiDocument(OPERATIONS) as { components: { schemas: Record<string, unknown> } };
  const published = JSON.stringify(components.schemas.Error);
  for (const type of ERROR_TYPES) assert.ok(published.includes(`"${type}"`), type);
});

test.run();
