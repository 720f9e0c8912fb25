/** What a refusal for the operator's rate at a provider means for the turns after it. */
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { startScriptedProvider } from '../../support/provider/scripted-provider.ts';
import { ManualClock } from '../outbound/manual-clock.ts';
import { type Stage, stage } from '../stage.ts';
import { drain, failed, outcomesOf, releaseOf } from './scene.ts';
import { start } from './start.ts';

const it = bounded(test);
const REPLY = JSON.stringify({
  choices: [{ message: { role: 'assistant', content: 'served' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const QUOTA = { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } };
const CALLS_MS = 100;

type Script = (response: ServerResponse) => void;
const serves: Script = (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(REPLY);
const refuses =
  (status: number, headers: Record<string, string> = {}, body: object = {}): Script =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Providers of one model, the first one far cheaper than the second, with the calls that each received. */
async function opened(...scripts: readonly Script[]) {
  const clock = new ManualClock();
  const calls = scripts.map(() => 0);
  const providers = await Promise.all(scripts.map(() => startScriptedProvider()));
  const endpoints = providers.map(({ baseUrl }, at) => {
    const price = at === 0 ? '0.000001' : '0.01';
    return boardEndpoint('ab'[at] as string, baseUrl, { pricing: { prompt: price, completion: price } });
  });
  const on = stage({ clock, endpoints: board(...endpoints) });
  const script = [...scripts];
  for (const [at, provider] of providers.entries()) {
    provider.answer = ({ response }) => {
      calls[at] = (calls[at] as number) + 1;
      script[at]?.(response);
    };
  }
  const close = async (): Promise<void> => {
    await on.end();
    await Promise.all(providers.map((each) => each.close()));
  };
  return { clock, calls, on, script, close };
}

let generations = 0;
const ask = (on: Stage, more: object = {}) =>
  start(on.services, {
    dialect: DIALECTS.chat,
    body: { model: 'sim/fast', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5, ...more },
    session: null,
    generation: `gen-limited-${++generations}`,
    bytes: 100,
    caller: { account: ACCOUNT, key: KEY, kind: 'inference' },
    attribution: { appTitle: null, appUrl: null },
    startedAt: on.services.clock.monotonic(),
  });

/** The providers that served so many requests, one each 100 ms. */
async function served(scene: Awaited<ReturnType<typeof opened>>, requests: number, more: object = {}) {
  const by: string[] = [];
  for (let n = 0; n < requests; n++) {
    const turn = await ask(scene.on, more);
    await drain(turn);
    by.push(turn.head.provider);
    scene.clock.advance(CALLS_MS);
  }
  return by.join('');
}

it('of 30 requests in 3 s a limited endpoint gets one call, and another one when its wait is over (rule I144)', async () => {
  const limited = refuses(429, { 'retry-after': '60' });
  for (const more of [
    {},
    { session_id: 'talk' },
    { provider: { sort: 'price' } },
    { provider: { order: ['a', 'b'] } },
  ]) {
    const scene = await opened(limited, serves);
    assert.is(await served(scene, 30, more), 'B'.repeat(30));
    assert.equal(scene.calls, [1, 30], JSON.stringify(more));
    scene.clock.advance(57_000);
    assert.is(await served(scene, 1, more), 'B');
    assert.is(scene.calls[0], 'session_id' in more ? 1 : 2, 'a conversation stays where it was served');
    scene.script[0] = serves;
    scene.clock.advance(60_000);
    if (!('session_id' in more)) assert.is(await served(scene, 1, more), 'A');
    await scene.close();
    assert.ok(
      outcomesOf(scene.on).every((outcome) => outcome !== 'error'),
      'no error for uptime (rule I133)',
    );
  }
});

it('a limit without a time is taken for five seconds, and no named time for more than a minute (rule I144)', async () => {
  for (const [headers, waitMs] of [
    [{}, 5_000],
    [{ 'retry-after': '86400' }, 60_000],
    [{ 'retry-after-ms': '2500' }, 2_500],
  ] as const) {
    const scene = await opened(refuses(429, headers), serves);
    await served(scene, 1);
    scene.clock.advance(waitMs - CALLS_MS - 1);
    await served(scene, 1);
    assert.is(scene.calls[0], 1, JSON.stringify(headers));
    await served(scene, 1);
    assert.is(scene.calls[0], 2, JSON.stringify(headers));
    await scene.close();
  }
});

it('an overloaded endpoint that asks for a pause is tried last as well, one that asks for none is not (rule I144)', async () => {
  for (const [headers, calls] of [
    [{ 'retry-after': '10' }, 2],
    [{}, 6],
  ] as const) {
    const scene = await opened(refuses(503, headers), serves);
    assert.is(await served(scene, 3), 'BBB');
    assert.is(scene.calls[0], calls, JSON.stringify(headers));
    await scene.close();
  }
});

it('where all are limited the caller gets the shortest wait, and each is called once (rule I144)', async () => {
  for (const [first, second, shortest] of [
    ['60', '7', '7'],
    ['3600', '7200', '60'],
    ['0.2', '30', '1'],
  ] as const) {
    const scene = await opened(refuses(429, { 'retry-after': first }), refuses(429, { 'retry-after': second }));
    const error = await failed(ask(scene.on));
    assert.equal([error.status, error.type, error.headers['retry-after']], [503, 'provider_overloaded', shortest]);
    assert.equal(scene.calls, [1, 1]);
    await scene.close();
  }
});

it('the last endpoint is called twice where it names no time, since then a repeat may serve (rule I132)', async () => {
  const scene = await opened(refuses(429));
  const error = await failed(ask(scene.on));
  assert.equal([error.status, error.headers['retry-after'], scene.calls], [503, undefined, [2]]);
  scene.script[0] = (response) => {
    scene.script[0] = serves;
    refuses(429)(response);
  };
  assert.is(await served(scene, 1), 'A');
  await scene.close();
});

it('a used-up quota is the operator’s fault: an alarm, 502, and no call for a minute while another endpoint is left', async () => {
  const scene = await opened(refuses(429, {}, QUOTA), serves);
  assert.is(await served(scene, 30), 'B'.repeat(30));
  assert.is(scene.calls[0], 1);
  const alarm = { level: 'error', message: 'a provider refuses our key', provider: 'a', status: 429 };
  assert.equal(scene.on.logs, [alarm]);
  await scene.close();
  const alone = await opened(refuses(429, {}, QUOTA));
  const error = await failed(ask(alone.on));
  assert.equal([error.status, error.type, alone.calls], [502, 'provider_unavailable', [1]]);
  await alone.close();
  assert.equal(
    releaseOf(alone.on)?.attempts.map(({ reason }) => reason),
    ['misconfigured'],
  );
});

it('without fallbacks the first choice is one that is not limited', async () => {
  const scene = await opened(refuses(429, { 'retry-after': '60' }), serves);
  await served(scene, 1);
  assert.is(await served(scene, 3, { provider: { allow_fallbacks: false } }), 'BBB');
  assert.is(scene.calls[0], 1);
  await scene.close();
});

test.run();
