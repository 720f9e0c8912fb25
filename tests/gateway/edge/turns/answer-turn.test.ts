/** Runs a test dialect, with an error envelope and error frames of its own, through the order of every request. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import config from '../../../../cluster.config.ts';
import { turnRoute, turnRoutes } from '../../../../gateway/api/turns/turn-routes.ts';
import { chatDialect } from '../../../../gateway/dialects/chat/chat-dialect.ts';
import { DIALECTS } from '../../../../gateway/dialects/dialect-table.ts';
import type { Dialect } from '../../../../gateway/dialects/reply/dialect.ts';
import { standardEnvelope } from '../../../../gateway/dialects/reply/error-envelope.ts';
import type { Authentication } from '../../../../gateway/edge/auth/authentication.ts';
import { edgeListener } from '../../../../gateway/edge/edge-listener.ts';
import { serve } from '../../../../gateway/edge/serve.ts';
import type { AnswerParts } from '../../../../gateway/edge/turns/answer-parts.ts';
import { OpenTurns } from '../../../../gateway/edge/turns/open-turns.ts';
import { HttpRouter } from '../../../../gateway/http/http-router.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { board, boardEndpoint } from '../../../support/model/endpoints.ts';
import { servingOf } from '../../../support/serving.ts';
import { ImagesJudge } from '../../../support/stream/images-judge.ts';
import { MessagesJudge } from '../../../support/stream/messages-judge.ts';
import { ResponsesJudge } from '../../../support/stream/responses-judge.ts';
import { openScene, settlementOf, sim } from '../../inference/scene.ts';
import { generous, type StageOptions, stage } from '../../stage.ts';

const it = bounded(test);
const { a, onlyA, close } = await openScene();
test.after(close);

/**
 * Follows the messages dialect: a refused stream in an envelope of its own, every other refusal in
 * the common one.
 */
const OWN: Dialect = {
  members: new Set(),
  parse: (body, session) => {
    const { turn, reply } = chatDialect.parse(body, session);
    return {
      turn,
      reply: {
        ...reply,
        processing: 'event: ping\ndata: {}\n\n',
        frames: (head) => {
          const frames = reply.frames(head);
          return {
            of: (events) =>
              events
                .map((event) =>
                  event.type === 'error'
                    ? `event: error\ndata: {"type":"error","error":{"type":"own_${event.error.status}"}}\n\n`
                    : frames.of([event]),
                )
                .join(''),
            end: (closing) => (closing === null ? '' : `event: stop\ndata: {"cost":${closing.cost}}\n\n`),
          };
        },
      },
    };
  },
  errorEnvelope: (streamed) =>
    streamed
      ? ({ type, message }, generation) => ({
          type: 'application/json',
          headers: { 'x-own': type },
          body: JSON.stringify({ type: 'error', error: { type: `own_${type}`, message }, request_id: generation }),
        })
      : standardEnvelope,
};

const LIMITED = new GatewayError({
  status: 429,
  type: 'rate_limit_exceeded',
  message: 'slow down',
  headers: { 'retry-after': '7' },
});

interface AnsweredOptions extends StageOptions {
  readonly body: object | string;
  readonly keepAliveCommentMs?: number;
  /** The refusal of the count of a refused request. */
  readonly limited?: GatewayError;
  readonly unauthenticated?: GatewayError;
  readonly dialect?: Dialect;
}

/** Returns the answer to one request in the dialect, and how often the request was counted. */
async function answered({
  body,
  dialect = OWN,
  keepAliveCommentMs,
  limited,
  unauthenticated,
  ...staged
}: AnsweredOptions) {
  const on = stage({ endpoints: onlyA, ...staged });
  const limits = { ...config.edge, ...(keepAliveCommentMs === undefined ? {} : { keepAliveCommentMs }) };
  let counts = 0;
  const log = { warn: () => {}, error: () => {} };
  const authentication = {
    accountOf: () => null,
    enter: (context: { caller: unknown }) => {
      if (unauthenticated) throw unauthenticated;
      context.caller = { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' };
      return null;
    },
    count: async (context: { counted: boolean }) => {
      context.counted = true;
      counts++;
      return limited ?? null;
    },
    remember: () => {},
  } as unknown as Authentication;
  const parts = servingOf({ authentication, limits });
  const { largeAnswers } = parts;
  const answering = {
    ...{ inference: on.services, authentication, turns: new OpenTurns(), largeAnswers, limits, log },
    ...{ pepper: new Uint8Array(32), random: systemRandom, now: on.cluster.now, crashPoint: undefined },
  };
  const router = new HttpRouter([turnRoute('/own', dialect, answering)]);
  const listener = edgeListener({
    limits: config.edge,
    clock: systemClock,
    generation: () => 'gen-1',
    serve: (context) => void serve(context, router, parts),
  });
  const base = await listener.listen('127.0.0.1', 0);
  const sent = typeof body === 'string' ? body : JSON.stringify({ model: 'sim/fast', max_tokens: 50, ...body });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${base}/own`, { method: 'POST', headers, body: sent });
  const text = await answer.text();
  await on.end();
  listener.close();
  return { status: answer.status, headers: answer.headers, text, counts, on };
}

type Answered = Awaited<ReturnType<typeof answered>>;

function isOwn({ status, headers, text }: Answered, expected: number, type: string): void {
  assert.is(status, expected, text);
  assert.is(headers.get('content-type'), 'application/json');
  assert.is(headers.get('x-own'), type);
  const { error, ...rest } = JSON.parse(text);
  assert.equal(rest, { type: 'error', request_id: 'gen-1' });
  assert.is(error.type, `own_${type}`);
  assert.is(headers.get('x-generation-id'), 'gen-1');
}

function isStandard({ status, headers, text }: Answered, expected: number, type: string): void {
  assert.is(status, expected, text);
  assert.is(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.is(headers.get('x-own'), null);
  const { code, metadata } = JSON.parse(text).error;
  assert.equal([code, metadata.error_type], [expected, type]);
}

const TOO_HOT = { ...sim({}), temperature: 3 };

it('an answer has the content type of its dialect', async () => {
  const plain: Dialect = {
    ...OWN,
    parse: (body, session) => {
      const { turn, reply } = chatDialect.parse(body, session);
      return { turn, reply: { ...reply, type: 'text/plain; charset=utf-8', whole: (head) => `served as ${head.id}` } };
    },
  };
  const body = { messages: [{ role: 'user', content: 'x' }] };
  const { status, headers, text } = await answered({ body, dialect: plain });
  assert.equal([status, headers.get('content-type'), text], [200, 'text/plain; charset=utf-8', 'served as gen-1']);
});

it('a refused stream is answered in the envelope of its dialect, and any other request in the common one', async () => {
  const stream = await answered({ body: { ...TOO_HOT, stream: true } });
  isOwn(stream, 400, 'invalid_request');
  assert.match(stream.text, /temperature must be at most 2/);
  assert.is(stream.counts, 1);
  isStandard(await answered({ body: TOO_HOT }), 400, 'invalid_request');
  // A body without `stream` requests no stream.
  isStandard(await answered({ body: { ...TOO_HOT, stream: 'yes' } }), 400, 'invalid_request');
  isStandard(await answered({ body: '"stream"' }), 400, 'invalid_request');
});

it('refusals by the plan, the admit and the providers use the same envelope, with the headers of the refusal', async () => {
  isOwn(await answered({ body: { ...sim({}), model: 'sim/unknown', stream: true } }), 404, 'not_found');
  const refusal = { status: 402, type: 'payment_required', message: 'no credit' } as const;
  const poor = await answered({ body: { ...sim({}), stream: true }, answers: () => ({ admitted: false, refusal }) });
  isOwn(poor, 402, 'payment_required');
  assert.is(poor.counts, 0, 'the admit has counted it');
  isOwn(await answered({ body: { ...sim({ status: 500 }), stream: true } }), 502, 'provider_unavailable');
  isStandard(await answered({ body: sim({ status: 500 }) }), 502, 'provider_unavailable');
  const full = await answered({ body: { ...sim({ status: 500 }), stream: true }, answers: () => null as never });
  isOwn(full, 500, 'server');
  assert.is(full.headers.get('x-should-retry'), 'false');
});

it('a count that replaces a refusal is written in its envelope, with its headers', async () => {
  const limited = await answered({ body: { ...TOO_HOT, stream: true }, limited: LIMITED });
  isOwn(limited, 429, 'rate_limit_exceeded');
  assert.is(limited.headers.get('retry-after'), '7');
});

it('a request refused before its body is read is answered in the common envelope', async () => {
  const unauthenticated = new GatewayError({ status: 401, type: 'authentication', message: 'no' });
  isStandard(await answered({ body: { ...sim({}), stream: true }, unauthenticated }), 401, 'authentication');
  isStandard(await answered({ body: '{"stream":true,' }), 400, 'invalid_request');
});

it('a stream that has begun ends in an error frame of its dialect, and so does one that opened before its first part (rule I56)', async () => {
  const broken = await answered({ body: { ...sim({ tokens: 20, cut_after: 3, tps: 200 }), stream: true } });
  assert.is(broken.status, 200);
  assert.match(
    broken.text,
    /^event: ping\ndata: \{\}\n\n.*x1 .*event: error\ndata: \{"type":"error","error":\{"type":"own_502"\}\}\n\n$/s,
  );
  assert.ok(settlementOf(broken.on), 'the delivered part is charged');
  const late = await answered({
    body: { ...sim({ hang: 'headers' }), stream: true },
    keepAliveCommentMs: 30,
    upstream: { firstByteMs: 150 },
  });
  assert.is(late.status, 200);
  assert.match(
    late.text,
    /^event: ping\ndata: \{\}\n\n.*event: error\ndata: \{"type":"error","error":\{"type":"own_504"\}\}\n\n$/s,
  );
});

it('a served turn is answered by the same dialect, whole and as a stream (rule I6)', async () => {
  const whole = await answered({ body: sim({ tokens: 2 }), answers: generous });
  assert.is(whole.status, 200);
  assert.ok(JSON.parse(whole.text).usage.cost > 0);
  const streamed = await answered({ body: { ...sim({ tokens: 2 }), stream: true } });
  assert.match(streamed.text, /"finish_reason":"stop".*event: stop\ndata: \{"cost":0\.\d+\}\n\n$/s);
});

/** Dialects with an envelope of their own for a stream that was refused before it opened. (rule I82, rule I89) */
const OWN_ENVELOPE: ReadonlySet<Dialect> = new Set<Dialect>([DIALECTS.responses, DIALECTS.messages]);

it('a responses stream that is refused before it opens is answered with a null code (rule I89)', async () => {
  const { responses: dialect } = DIALECTS;
  const rows: readonly (readonly [object, number, string])[] = [
    [{ input: 'x', temperature: 3 }, 400, 'invalid_request'],
    [{ input: 'x', model: 'sim/unknown' }, 404, 'not_found'],
    [{ input: '@sim {"status":500}' }, 502, 'provider_unavailable'],
  ];
  for (const [body, status, type] of rows) {
    const { status: answeredWith, text } = await answered({ dialect, body: { ...body, stream: true } });
    assert.is(answeredWith, status, text);
    const { error } = JSON.parse(text);
    assert.equal([error.code, error.param, error.type, error.metadata.error_type], [null, null, type, type]);
    isStandard(await answered({ dialect, body }), status, type);
  }
});

it('a responses stream that opened before its turn runs fails in-band, in order (rule I89)', async () => {
  const { text, status } = await answered({
    dialect: DIALECTS.responses,
    body: { input: '@sim {"hang":"headers"}', stream: true },
    keepAliveCommentMs: 30,
    upstream: { firstByteMs: 150 },
  });
  assert.is(status, 200);
  const { faults, events } = ResponsesJudge.of(text);
  assert.equal(faults, []);
  assert.equal(
    events.map(({ type }) => type),
    ['response.created', 'response.in_progress', 'error', 'response.failed'],
  );
});

it('a stream of pictures that opened before its turn runs fails in-band', async () => {
  const painter: Endpoint = { ...boardEndpoint('a', a.baseUrl), outputModalities: ['text', 'image'] };
  const { text, status } = await answered({
    dialect: DIALECTS.images,
    body: { prompt: '@sim {"hang":"headers"}', stream: true },
    endpoints: board(painter),
    keepAliveCommentMs: 30,
    upstream: { firstByteMs: 150 },
  });
  assert.is(status, 200);
  const { faults, events } = ImagesJudge.of(text);
  assert.equal(faults, []);
  assert.equal(
    events.map(({ type, error }) => [type, (error as { code: string }).code]),
    [['error', 'timeout']],
  );
});

it('a messages stream is refused in its own envelope before it opens; its whole requests in the common one (rule I82)', async () => {
  const body = { ...sim({}), max_tokens: 5, temperature: 3 };
  const stream = await answered({ dialect: DIALECTS.messages, body: { ...body, stream: true } });
  assert.equal([stream.status, stream.headers.get('content-type')], [400, 'application/json; charset=utf-8']);
  const { request_id, ...own } = JSON.parse(stream.text);
  const message = 'temperature must be at most 2';
  const error = { type: 'invalid_request_error', message, error_type: 'invalid_request' };
  assert.equal([own, request_id], [{ type: 'error', error }, stream.headers.get('x-generation-id')]);
  const whole = await answered({ dialect: DIALECTS.messages, body });
  isStandard(whole, 400, 'invalid_request');
  assert.is(JSON.parse(whole.text).error.type, 'invalid_request_error');
});

it('a messages stream begins with message_start; one that opened before its turn runs begins with a ping (rule I79)', async () => {
  const usual = await answered({ dialect: DIALECTS.messages, body: { ...sim({}), max_tokens: 5, stream: true } });
  assert.ok(usual.text.startsWith('event: message_start\n'), usual.text.slice(0, 100));
  assert.equal(MessagesJudge.of(usual.text).faults, []);
  const hanging = await answered({
    dialect: DIALECTS.messages,
    body: { ...sim({ hang: 'headers' }), max_tokens: 5, stream: true },
    keepAliveCommentMs: 30,
    upstream: { firstByteMs: 150 },
  });
  assert.is(hanging.status, 200);
  assert.ok(hanging.text.startsWith('event: ping\ndata: {"type":"ping"}\n\n'), hanging.text.slice(0, 100));
  const { faults, events, error } = MessagesJudge.of(hanging.text);
  assert.equal(faults, []);
  assert.equal(
    events.map(({ type }) => type),
    ['error'],
  );
  assert.equal([error?.type, error?.error_type], ['timeout_error', 'timeout']);
});

it('the dialects of the table refuse in the common envelope where they have none of their own, and each has its route (rule E1)', async () => {
  for (const dialect of Object.values(DIALECTS)) {
    for (const stream of OWN_ENVELOPE.has(dialect) ? [false] : [true, false]) {
      isStandard(await answered({ dialect, body: { model: 5, stream } }), 400, 'invalid_request');
    }
  }
  assert.equal(
    turnRoutes({} as AnswerParts).map(({ path }) => path),
    [
      '/chat/completions',
      '/completions',
      '/messages',
      '/responses',
      '/images/generations',
      '/images',
      '/embeddings',
      '/rerank',
      '/v2/rerank',
    ],
  );
});

test.run();
