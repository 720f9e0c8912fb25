import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HoldRequest, Settlement } from '../../../actors/terms/hold.ts';
import { PAUSES_TOPIC } from '../../../actors/terms/pause.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { CallerAbort } from '../../../gateway/inference/turn-request.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { failing, generous, stage } from '../stage.ts';
import {
  callsAt,
  drain,
  eventsOf,
  failed,
  openScene,
  outcomesOf,
  releaseOf,
  settlementOf,
  sim,
  textOf,
  typesOf,
} from './scene.ts';

const it = bounded(test);
const { a, b, both, onlyA, close } = await openScene();
const DEARER = { pricing: { prompt: '0.00001', completion: '0.00002' } };

it('a whole reply needs two asks: the hold before the call, the charge after it (rule K53)', async () => {
  const on = stage();
  const request = on.request({ ...sim({ tokens: 4 }), max_tokens: 50 }, onlyA);
  const turn = await runTurn(on.services, request);
  const events = await drain(turn);
  assert.is(typesOf(events), 'text-delta finish usage');
  assert.match(textOf(events), /^a:\d+ x1 x2 x3 $/);
  const receipt = await turn.receipt;
  const { closing: charged } = await endTurn(on.services, turn);
  assert.equal(eventsOf(on), ['turn.admit', 'hold.settle']);
  const hold = on.asks[0]?.event.request as HoldRequest;
  const settled = on.asks[1]?.event.settlement as Settlement;
  assert.is(hold.attempt, 1);
  assert.is(hold.repeat, false);
  assert.is(hold.gateway, 'inc_1');
  assert.is(settled.promptTokens, receipt.usage.promptTokens);
  assert.is(settled.completionTokens, 4);
  assert.is(settled.estimated, false);
  assert.is(settled.finishReason, 'stop');
  assert.is(settled.cost, charged?.cost);
  assert.is(Number(charged?.cost), ((settled.promptTokens as number) + 2 * 4) / 1_000_000);
  assert.ok(Number(hold.amount) > Number(settled.cost));
  assert.equal(on.crashpoints, ['hold.committed', 'upstream.sent', 'upstream.firstbyte', 'settle.committed']);
  assert.is(turn.head.provider, 'A');
  assert.is(turn.head.model, 'sim/fast');
  await on.end();
});

it('the provider receives its key and its own names, and only the conversation of the client', async () => {
  const on = stage();
  const named = board(
    boardEndpoint('a', a.baseUrl, { upstreamId: 'their-name', ceilingName: 'max_completion_tokens' }),
  );
  const body = {
    ...sim({}),
    session_id: 'ta\u00efk\r\nx: y',
    user: 'u1',
    temperature: 1,
    metadata: { secret: 1 },
    max_tokens: 9,
  };
  await drain(await runTurn(on.services, on.request(body, named)));
  const call = a.calls.at(-1);
  assert.is(call?.headers.authorization, 'Bearer secret-a');
  assert.is(call?.headers['accept-encoding'], 'identity');
  assert.is(call?.headers['x-session-id'], 'ta%c3%afk%0d%0ax:%20y');
  assert.is(call?.headers.x, undefined);
  assert.equal(Object.keys(call?.body ?? {}).sort(), [
    'max_completion_tokens',
    'messages',
    'model',
    'stream',
    'temperature',
    'user',
  ]);
  assert.is(call?.body.model, 'their-name');
  assert.is(call?.body.max_completion_tokens, 9);
  await on.end();
});

it('402 is answered before any provider is contacted (rule K53)', async () => {
  const refusal = {
    status: 402,
    type: 'payment_required',
    message: 'no',
    metadata: { scope: 'account', available: '0.0001' },
  };
  const on = stage({ answers: () => ({ admitted: false, refusal }) as never });
  const body = sim({});
  const error = await failed(runTurn(on.services, on.request(body, both)));
  assert.is(error.status, 402);
  const { affordable_max_tokens: affordable, ...stated } = error.metadata;
  assert.equal(stated, { scope: 'account', available: '0.0001' });
  assert.ok(Number(affordable) > 0 && Number(affordable) < 50, `50 tokens cost 0.0001 without a prompt: ${affordable}`);
  assert.is(callsAt(a, body) + callsAt(b, body), 0);
  await on.end();
  assert.equal(eventsOf(on), ['turn.admit']);
});

it('an exhausted rate window is answered with its headers (rule E5)', async () => {
  const window = { limit: 120, resetAt: Date.now() + 30_000 };
  const refusal = { status: 429, type: 'rate_limit_exceeded', message: 'slow', window };
  const on = stage({ answers: () => ({ admitted: false, refusal }) as never });
  const error = await failed(runTurn(on.services, on.request(sim({}), onlyA)));
  assert.is(error.headers['x-ratelimit-limit'], '120');
  assert.ok(Number(error.headers['retry-after']) <= 30);
  await on.end();
});

it('an admit without an answer is 503 and followed by a release until one is acknowledged', async () => {
  let releases = 0;
  const on = stage({
    answers: (sent, nth) => {
      if (nth === 1) return failing({ code: 'expired' });
      if (sent.event.type === 'hold.release' && ++releases < 3) return failing({ code: 'lost' });
      return generous(sent);
    },
  });
  const error = await failed(runTurn(on.services, on.request(sim({}), onlyA)));
  assert.is(error.status, 503);
  assert.is(error.headers['x-should-retry'], 'true');
  assert.is(error.headers['retry-after'], '1');
  await on.end();
  assert.equal(eventsOf(on), ['turn.admit', 'hold.release', 'hold.release', 'hold.release']);
});

it('an admit that certainly had no effect is 503 without a release', async () => {
  for (const code of ['busy', 'refused', 'moved'] as const) {
    const on = stage({ answers: () => failing({ code, retryAfterMs: 1, detail: '', owner: null, epoch: 1 } as never) });
    assert.is((await failed(runTurn(on.services, on.request(sim({}), onlyA)))).status, 503);
    await on.end();
    assert.equal(eventsOf(on), ['turn.admit']);
  }
});

it('a failure is retried once on the same endpoint, and the retry serves (rule I132)', async () => {
  const on = stage();
  const body = sim({ fail_first: 1 });
  const turn = await runTurn(on.services, on.request(body, both));
  await drain(turn);
  assert.is(callsAt(a, body), 2);
  assert.is(callsAt(b, body), 0);
  const { attempts } = await turn.receipt;
  assert.equal(
    attempts.map(({ outcome, status }) => [outcome, status]),
    [
      ['failed', 500],
      ['served', 200],
    ],
  );
  await on.end();
  assert.equal(outcomesOf(on), ['success'], 'a failure repaired by the retry does not count');
});

it('fail-over moves the hold to the more expensive endpoint, under a new attempt, and charges at its price (rule K58)', async () => {
  const on = stage();
  const body = { ...sim({ only_on: 'a', status: 500, tokens: 4 }), max_tokens: 20 };
  const request = on.request(body, both);
  const turn = await runTurn(on.services, request);
  assert.is(turn.head.provider, 'B');
  const events = await drain(turn);
  assert.is(callsAt(a, body), 2);
  assert.is(callsAt(b, body), 1);
  assert.is(typesOf(events), 'text-delta finish usage');
  const receipt = await turn.receipt;
  assert.is(receipt.attempt, 2);
  await endTurn(on.services, turn);
  assert.equal(eventsOf(on), ['turn.admit', 'turn.raise', 'hold.settle']);
  const [first, second] = on.asks.map(({ event }) => event.request as HoldRequest);
  assert.ok(Number(second?.amount) > Number(first?.amount));
  assert.is(settlementOf(on)?.attempt, 2);
  await on.end();
  assert.equal(outcomesOf(on).sort(), ['error', 'success']);
});

it('a fallback that the balance cannot cover is skipped', async () => {
  const refusal = { status: 402, type: 'payment_required', message: 'no' };
  const on = stage({
    answers: (sent) => (sent.event.type === 'turn.raise' ? ({ admitted: false, refusal } as never) : generous(sent)),
  });
  const body = sim({ only_on: 'a', status: 500 });
  const error = await failed(runTurn(on.services, on.request(body, both)));
  assert.is(error.status, 502);
  assert.is(callsAt(b, body), 0);
  await on.end();
  assert.equal((error.metadata.previous_errors as object[]).at(-1), {
    provider: 'B',
    code: 'payment_required',
    status: 402,
  });
  assert.equal(releaseOf(on)?.attempts.at(-1), {
    ...{ endpoint: 'x', provider: 'B', status: null, outcome: 'skipped', latencyMs: null, reason: 'payment_required' },
    endpoint: releaseOf(on)?.attempts.at(-1)?.endpoint as string,
  });
  assert.equal(eventsOf(on), ['turn.admit', 'turn.raise', 'hold.release']);
  // The refusal may answer a repeat whose first sending moved the hold.
  assert.is(releaseOf(on)?.attempt, 2);
});

/** Garbage that arrives after the first part of a stream: something was delivered, so nothing is tried again. */
const MIDSTREAM = new Set(['json', 'nul', 'error-frame']);
const GARBAGE = ['json', 'empty', 'nul', 'error-frame', 'redirect', 'content-type', 'gzip', 'long-line'];
for (const garbage of GARBAGE) {
  for (const stream of [false, true]) {
    const breaks = stream && MIDSTREAM.has(garbage);
    const what = `${garbage} from a ${stream ? 'stream' : 'whole reply'}`;
    it(`${what} ${breaks ? 'ends in one error' : 'fails over'} and the node stays healthy`, async () => {
      const on = stage();
      const body = { ...sim({ only_on: 'a', garbage, tokens: 3 }), stream };
      const turn = await runTurn(on.services, on.request(body, both));
      assert.is(turn.head.provider, breaks ? 'A' : 'B');
      assert.is(typesOf(await drain(turn)), breaks ? 'text-delta error' : 'text-delta finish usage');
      assert.ok(callsAt(a, body) <= 2);
      await on.end();
    });
  }
}

it('an endpoint that breaks off in hidden reasoning has delivered nothing, and the next one serves (rule I135)', async () => {
  for (const exclude of [true, false]) {
    const on = stage();
    const thinkers = board(
      boardEndpoint('a', a.baseUrl, { supportedParameters: ['reasoning'] }),
      boardEndpoint('b', b.baseUrl, { ...DEARER, supportedParameters: ['reasoning'] }),
    );
    const body = { ...sim({ only_on: 'a', reasoning_tokens: 40, cut_after: 2 }), stream: true, reasoning: { exclude } };
    const turn = await runTurn(on.services, on.request(body, thinkers));
    const events = await drain(turn);
    assert.is(turn.head.provider, exclude ? 'B' : 'A');
    assert.is(events.at(-1)?.type, exclude ? 'usage' : 'error');
    await on.end();
  }
});

it('a refusal and an empty answer are answers: no other endpoint is tried', async () => {
  for (const directive of [{ tokens: 0 }, { tokens: 0, finish: 'content_filter' }]) {
    for (const stream of [false, true]) {
      const on = stage();
      const body = { ...sim(directive), stream };
      const turn = await runTurn(on.services, on.request(body, both));
      await drain(turn);
      assert.is(callsAt(a, body) + callsAt(b, body), 1);
      await on.end();
    }
  }
});

it('a stream cut before its first chunk delivered nothing: the next endpoint serves (rule K70)', async () => {
  const on = stage();
  const body = { ...sim({ only_on: 'a', cut_after: 0, hang: undefined, tokens: 5 }), stream: true };
  const turn = await runTurn(on.services, on.request(body, both));
  assert.is(turn.head.provider, 'B');
  await drain(turn);
  assert.is(callsAt(a, body), 2);
  await on.end();
});

it('the log line of a failure names model, provider, endpoint and reason', async () => {
  const on = stage();
  const error = await failed(runTurn(on.services, on.request(sim({ status: 503 }), both)));
  assert.equal([error.log.model, error.log.reason], ['sim/fast', 'overloaded']);
  assert.match(`${error.log.provider} ${error.log.endpoint}`, /^[ab] ep_/);
  await on.end();
});

it('an endpoint that is paused while an earlier one fails is passed over', async () => {
  const on = stage();
  const body = { ...sim({ only_on: 'a', cut_after: 0, hang: undefined, tokens: 5 }), stream: true };
  const request = on.request(body, both);
  on.cluster.board.publish(PAUSES_TOPIC, 'b', { reason: 'r', since: 1 });
  assert.is((await failed(runTurn(on.services, request))).status, 502);
  assert.is(callsAt(a, body), 2);
  assert.is(callsAt(b, body), 0);
  await on.end();
});

it('an endless sequence of comments is no progress (rule I134)', async () => {
  const on = stage({ upstream: { idleMs: 80 } });
  const body = { ...sim({ garbage: 'infinite-comments' }), stream: true };
  assert.is((await failed(runTurn(on.services, on.request(body, onlyA)))).status, 504);
  await on.end();
});

it('a slow trickle ends at the total time limit (rule I134)', async () => {
  const on = stage({ upstream: { totalMs: 150 } });
  assert.is((await failed(runTurn(on.services, on.request(sim({ garbage: 'trickle' }), onlyA)))).status, 504);
  await on.end();
});

it('overloaded everywhere is 503, refused everywhere is the error of the caller, and no text of a provider is shown (rule I139)', async () => {
  for (const [status, expected, calls, outcome] of [
    [429, 503, 2, 'other'],
    [503, 503, 2, 'error'],
    [400, 400, 1, 'other'],
    [422, 422, 1, 'other'],
    [413, 413, 1, 'other'],
    [401, 502, 2, 'error'],
    [402, 502, 2, 'error'],
    [403, 502, 2, 'other'],
    [404, 502, 2, 'error'],
    [500, 502, 2, 'error'],
  ] as const) {
    const on = stage();
    const body = sim({ status });
    const error = await failed(runTurn(on.services, on.request(body, onlyA)));
    assert.is(error.status, expected, `status ${status}`);
    assert.is(callsAt(a, body), calls);
    assert.not.match(JSON.stringify([error.message, error.metadata]), /simulated/);
    await on.end();
    assert.is(error.headers['x-should-retry'], calls === 1 ? 'false' : undefined);
    assert.equal(outcomesOf(on), [outcome], `status ${status} in uptime (rule I133)`);
  }
});

it('prose instead of a required tool call fails over, and finally is 502 naming the contract (rule I115)', async () => {
  const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }];
  for (const stream of [false, true]) {
    for (const tool_choice of ['required', { type: 'function', function: { name: 'add' } }]) {
      const on = stage();
      const body = { ...sim({ only_on: 'a', garbage: 'prose' }), tools, tool_choice, stream };
      const turn = await runTurn(on.services, on.request(body, both));
      assert.is(turn.head.provider, 'B');
      const events = await drain(turn);
      assert.ok(events.some(({ type }) => type === 'tool-start'));
      assert.is(callsAt(a, body), 1, 'a broken contract is not retried on the same endpoint');
      const everywhere = { ...sim({ garbage: 'prose' }), tools, tool_choice, stream };
      const error = await failed(runTurn(on.services, on.request(everywhere, both)));
      assert.is(error.status, 502);
      assert.match(error.message, /tool_choice/);
      assert.is(error.headers['x-should-retry'], 'false');
      await on.end();
    }
  }
});

it('a call of another tool than the named one breaks the contract (rule I115)', async () => {
  const on = stage();
  const tools = [{ type: 'function', function: { name: 'add' } }];
  const body = {
    ...sim({ garbage: 'wrong-tool' }),
    tools,
    tool_choice: { type: 'function', function: { name: 'add' } },
    stream: true,
  };
  assert.is((await failed(runTurn(on.services, on.request(body, onlyA)))).status, 502);
  await on.end();
});

for (const [moment, directive] of [
  ['the headers', { ttft_ms: 5_000 }],
  ['the first chunk', { hang: 'body' }],
] as const) {
  it(`a client that leaves before ${moment} pays nothing and frees the hold`, async () => {
    for (const abort of [new CallerAbort(), new AbortController()]) {
      const on = stage();
      const signal = abort instanceof CallerAbort ? abort : abort.signal;
      const body = { ...sim(directive), stream: true };
      const running = failed(runTurn(on.services, on.request(body, both, signal)));
      while (callsAt(a, body) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
      await new Promise((resolve) => setTimeout(resolve, 20));
      abort.abort();
      await running;
      await on.end();
      assert.equal(eventsOf(on), ['turn.admit', 'hold.release']);
      assert.is(callsAt(a, body) + callsAt(b, body), 1);
      assert.equal(outcomesOf(on), ['other']);
    }
  });
}

it('a turn whose client left during the hold is sent to no provider', async () => {
  const callerAbort = new CallerAbort();
  const on = stage({
    answers: (sent) => {
      callerAbort.abort();
      return generous(sent);
    },
  });
  const body = sim({});
  await failed(runTurn(on.services, on.request(body, both, callerAbort)));
  await on.end();
  assert.equal(eventsOf(on), ['turn.admit', 'hold.release']);
  assert.is(callsAt(a, body), 0);
});

test.after(close);

test.run();
