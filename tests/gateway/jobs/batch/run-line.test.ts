import { Registry } from 'prom-client';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { REPLY_BYTES_MAX } from '../../../../actors/batch/line-record.ts';
import type { LineResult } from '../../../../actors/batch/lines.ts';
import { MONEY_HELD } from '../../../../actors/batch/lines.ts';
import { ActivityFailed, type ActivityTask } from '../../../../actors/runtime/index.ts';
import { plain } from '../../../../actors/terms/chart-tools.ts';
import { holdAttempt } from '../../../../actors/terms/hold.ts';
import { lineGenerationId } from '../../../../actors/terms/ids.ts';
import { paymentRequired } from '../../../../actors/terms/refusal.ts';
import { placeOfReply, readSealed } from '../../../../gateway/jobs/batch/read-sealed.ts';
import { lineHandler } from '../../../../gateway/jobs/batch/run-line.ts';
import type { LineServices } from '../../../../gateway/jobs/job-services.ts';
import { RequestMetrics } from '../../../../gateway/operator/metrics/request-metrics.ts';
import { bounded } from '../../../support/bounded.ts';
import { deferred } from '../../../support/deferred.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { OWNER } from '../../../support/model/batches.ts';
import { board } from '../../../support/model/endpoints.ts';
import { eventsOf } from '../../inference/scene.ts';
import { failing, generous } from '../../stage.ts';
import { BATCH, errorOf, openLineScene } from './scene.ts';

const it = bounded(test, 60_000);
type On = Awaited<ReturnType<typeof openLineScene>>;
const CHAT = { messages: [{ role: 'user', content: 'hi' }] };
const GENERATION = lineGenerationId(BATCH, 0);

async function on(work: (on: On) => Promise<void>, options: Parameters<typeof openLineScene>[0] = {}) {
  const opened = await openLineScene(options);
  try {
    await work(opened);
  } finally {
    await opened.end();
  }
}

async function replyOf({ keys, blobs }: On, { outcome }: LineResult, index = 0) {
  if ('error' in outcome) throw new Error(JSON.stringify(outcome.error));
  const { body } = outcome.reply;
  const place = placeOfReply(OWNER, BATCH, index);
  const text = await readSealed({ keys, blobs }, place, 'value' in body ? body.value : body.blob);
  return { kind: 'value' in body ? 'row' : 'blob', text: String(text), bytes: outcome.bytes };
}

const activityFailure = (work: Promise<unknown>): Promise<ActivityFailed> => failureOf(work, ActivityFailed);

it('a line is held, answered and sealed; its charge is returned and not sent (rule B13)', () =>
  on(async (on) => {
    const result = await on.run(await on.input(CHAT));
    assert.equal(eventsOf(on), ['turn.admit']);
    const request = on.asks[0]?.event.request;
    assert.equal([request?.generation, request?.attempt, request?.repeat], [GENERATION, 1, false]);
    assert.equal([request?.counted, request?.appTitle, request?.streamed], [true, 'the app', false]);
    assert.is(result.settlement?.generation, GENERATION);
    const { kind, text } = await replyOf(on, result);
    const reply = JSON.parse(text);
    assert.is(kind, 'row');
    assert.equal([reply.id, reply.choices[0].message.content], [GENERATION, 'hello']);
    assert.ok(text.includes(`"cost":${result.settlement?.cost}`), 'the shown cost has the digits of the charge');
    assert.not.match(JSON.stringify(result), /hello/);
    assert.equal(on.crashpoints, ['line.dispatched', 'line.held', 'line.sent', 'line.firstbyte', 'line.sealed']);
  }));

it('a later attempt takes over the hold under its own number', () =>
  on(async (on) => {
    await on.run(await on.input(CHAT), { attempt: 3 });
    const request = on.asks[0]?.event.request;
    assert.equal([request?.attempt, request?.repeat, request?.counted], [holdAttempt(3, 1), true, true]);
  }));

it('the defaults of the batch apply to bodies that name none', () =>
  on(async (on) => {
    const input = await on.input(CHAT, { model: 'sim/fast', provider: { only: ['nobody'] } });
    assert.is(errorOf(await on.run(input)).code, 503);
    assert.is((await on.run({ ...input, provider: { only: ['a'] } })).settlement?.generation, GENERATION);
  }));

it('a large reply is a sealed blob, counted with its bytes', () =>
  on(async (on) => {
    on.say('x'.repeat(40_000));
    const { kind, text, bytes } = await replyOf(on, await on.run(await on.input(CHAT)));
    assert.is(kind, 'blob');
    assert.ok(bytes > text.length && bytes < text.length + 2_000);
  }));

it('a reply of 1 MiB is kept, one byte more fails as charged and is not truncated (rule B31)', () =>
  on(async (on) => {
    on.say('');
    const overhead = (await replyOf(on, await on.run(await on.input(CHAT)))).text.length;
    on.say('y'.repeat(REPLY_BYTES_MAX - overhead));
    const fits = await replyOf(on, await on.run(await on.input(CHAT)));
    assert.is(fits.text.length, REPLY_BYTES_MAX);
    on.say('y'.repeat(REPLY_BYTES_MAX - overhead + 1));
    const result = await on.run(await on.input(CHAT));
    const { type, code, requestId } = errorOf(result);
    assert.equal([type, code, requestId], ['server', 500, GENERATION]);
    assert.ok(result.settlement, 'the answer was delivered by the provider and is charged');
  }));

const REFUSALS = [
  ['payment_required', paymentRequired('account', { required: '1', available: '0' }), 402],
  ['payment_required', paymentRequired('key', { required: '1', available: '0' }), 402],
  ['authentication', { status: 401, type: 'authentication', message: 'Missing or invalid API key' }, 401],
] as const;

for (const [type, refusal, status] of REFUSALS) {
  it(`a refusal with ${status} is the outcome of the line, without a call or a charge: ${refusal.message}`, () =>
    on(
      async (on) => {
        const result = await on.run(await on.input(CHAT));
        const { code, requestId, message } = errorOf(result);
        assert.equal([errorOf(result).type, code, requestId, result.settlement], [type, status, null, null]);
        assert.ok(message.startsWith(refusal.message));
        assert.is(on.calls.length, 0);
      },
      { answers: () => plain({ admitted: false, refusal }) },
    ));
}

for (const scope of ['account', 'key', 'workspace'] as const) {
  it(`money that other requests hold is no outcome: the attempt is repeated (${scope}) (rule B21)`, () =>
    on(
      async (on) => {
        const failure = await activityFailure(on.run(await on.input(CHAT)));
        assert.equal([failure.code, failure.retriable, on.calls.length], [MONEY_HELD, true, 0]);
        assert.match(failure.message, /may cost up to/);
      },
      {
        answers: ({ event }) => {
          const required = event.request?.amount as string;
          return plain({
            admitted: false,
            refusal: paymentRequired(scope, { required, available: '0', held: required }),
          });
        },
      },
    ));
}

it('a body that its dialect refuses, an unknown model, and no endpoint fail as on the live route (rule B3)', () =>
  on(async (on) => {
    const codes = async (body: object) => errorOf(await on.run(await on.input(body))).code;
    assert.is(await codes({ messages: [] }), 400);
    assert.is(await codes({ ...CHAT, model: 'no/such' }), 404);
    assert.is(await codes({ ...CHAT, provider: { only: ['nobody'] } }), 503);
    assert.equal(on.asks, []);
  }));

it('a provider that fails each time is the outcome of the line, and the hold is released', () =>
  on(async (on) => {
    on.fail(500);
    const result = await on.run(await on.input(CHAT));
    assert.equal([errorOf(result).type, errorOf(result).code, result.settlement], ['provider_unavailable', 502, null]);
    await on.jobs.inference.holds.pending.idle();
    assert.equal(eventsOf(on), ['turn.admit', 'hold.release']);
  }));

for (const code of ['busy', 'refused', 'expired'] as const) {
  it(`an account that cannot be asked (${code}) is no outcome: the attempt is repeated (rule B21)`, () =>
    on(
      async (on) => {
        const failure = await activityFailure(on.run(await on.input(CHAT)));
        assert.equal([failure.code, failure.retriable], ['unavailable', true]);
        assert.is(on.calls.length, 0);
      },
      {
        answers: (sent) =>
          sent.event.request ? failing({ code, retryAfterMs: 10, detail: 'now' } as never) : generous(sent),
      },
    ));
}

it('without its key store a line is not sent; it is no outcome', () =>
  on(async (on) => {
    const input = await on.input(CHAT);
    on.keys.cut = true;
    assert.is((await activityFailure(on.run(input))).code, 'unavailable');
    assert.equal([on.asks, on.calls], [[], []]);
    on.keys.cut = false;
    assert.ok((await on.run(input)).settlement);
  }));

it('a body whose key is destroyed, or whose bytes are gone, ends its line with a server error, unsent and uncharged (rule B19)', () =>
  on(async (on) => {
    const input = await on.input(CHAT);
    const head = (input.bodies?.head ?? '').replace(/^.{8}/, 'AAAAAAAA');
    const changed = [
      { ...input, bodies: { ...(input.bodies as object), head } },
      { ...input, bodies: { ...(input.bodies as object), id: 'gone' } },
      { ...input, account: 'acct_2' },
    ] as (typeof input)[];
    for (const lost of changed) {
      const result = await on.run(lost);
      const { type, code, requestId } = errorOf(result);
      assert.equal([type, code, requestId, result.settlement], ['server', 500, null, null]);
    }
    assert.equal([on.asks, on.calls], [[], []]);
  }));

it('a line is not sent once the completion window is closed', () =>
  on(async (on) => {
    const failure = await activityFailure(on.run(await on.input(CHAT, { expiresAt: Date.now() - 1 })));
    assert.equal([failure.code, failure.retriable, on.asks.length], ['window-closed', true, 0]);
  }));

it('a line waits for its turn among the jobs of its node, until its completion window closes', () => {
  const turn = deferred();
  const waits: (readonly [string, number])[] = [];
  const enter: LineServices['pace']['enter'] = async (account, { waitMs }) => {
    waits.push([account, waitMs]);
    await turn.promise;
    return true;
  };
  return on(
    async (on) => {
      const running = on.run(await on.input(CHAT));
      while (waits.length === 0) await new Promise((next) => setImmediate(next));
      assert.equal([on.asks, on.calls], [[], []]);
      turn.resolve();
      assert.ok((await running).settlement);
      const [[account, waitMs] = ['', 0]] = waits;
      assert.is(account, OWNER);
      assert.ok(waitMs > 3_500_000 && waitMs <= 3_600_000, `${waitMs} ms`);
    },
    { pace: { enter } },
  );
});

it('a line whose turn does not come before its completion window closes is not sent', () =>
  on(
    async (on) => {
      const failure = await activityFailure(on.run(await on.input(CHAT)));
      assert.equal([failure.code, failure.retriable, on.asks.length], ['window-closed', true, 0]);
    },
    { pace: { enter: async () => false } },
  ));

it('the bodies under way on one node have a bound: a line beyond it is read once another has ended', () =>
  on(async (on) => {
    const steps: string[] = [];
    const gate = deferred();
    const { files } = on.jobs;
    const read = (_: unknown, range?: { readonly to: number; readonly from: number }) => {
      const mib = ((range?.to ?? 0) - (range?.from ?? 0)) / 2 ** 20;
      steps.push(`read ${mib}`);
      return (async function* () {
        if (mib === 100) await gate.promise;
        yield Buffer.from('no JSON');
      })();
    };
    const bytes = { keys: on.keys, blobs: { put: on.blobs.put, read } } as unknown as typeof files.bytes;
    const jobs = { ...on.jobs, files: { ...files, bytes } };
    const { run } = lineHandler(() => jobs);
    const input = await on.input(CHAT);
    const start = async (mib: number): Promise<void> => {
      const task = { attempt: 1, input: { ...input, length: mib * 2 ** 20 } } as unknown as ActivityTask;
      await run(task, new AbortController().signal);
      steps.push(`end ${mib}`);
    };
    const first = start(100);
    const second = start(30);
    const third = start(8);
    await third;
    gate.resolve();
    await Promise.all([first, second]);
    assert.equal(steps, ['read 100', 'read 8', 'end 8', 'end 100', 'read 30', 'end 30']);
  }));

it('a cut line aborts its call and releases its hold (rule B25)', () =>
  on(async (on) => {
    const { promise, resolve } = deferred();
    const controller = new AbortController();
    on.say('too late', promise);
    const running = on.run(await on.input(CHAT), { signal: controller.signal });
    while (on.calls.length === 0) await new Promise((next) => setImmediate(next));
    controller.abort(new Error('the attempt is superseded'));
    await running.then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, 'the attempt is superseded'),
    );
    resolve();
    await on.jobs.inference.holds.pending.idle();
    assert.is(eventsOf(on).at(-1), 'hold.release');
  }));

it('an empty board answers as the live route does', () =>
  on(async (on) => assert.is(errorOf(await on.run(await on.input(CHAT))).code, 404), { endpoints: board() }));

it('a line is seen in tokens and USD', async () => {
  const registry = new Registry();
  await on(
    async (on) => {
      on.say('hello', undefined, 2_000);
      await on.run(await on.input(CHAT));
      const metrics = await registry.metrics();
      assert.match(metrics, /\ntroupe_holds_open 0\n/);
      assert.match(metrics, /\ntroupe_tokens_total\{model="sim\/fast",provider="A",kind="prompt"\} 2000\n/);
      assert.match(metrics, /\ntroupe_usd_total\{model="sim\/fast",provider="A"\} 0\.\d+\n/);
    },
    { measures: new RequestMetrics(registry) },
  );
});

test.run();
