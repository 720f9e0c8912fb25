import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HoldRequest } from '../../../actors/terms/hold.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { deferred } from '../../support/deferred.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { startScriptedProvider } from '../../support/provider/scripted-provider.ts';
import { ManualClock } from '../outbound/manual-clock.ts';
import { failing, generous, stage } from '../stage.ts';
import { callsAt, drain, eventsOf, openScene, outcomesOf, releaseOf, sim, textOf, typesOf } from './scene.ts';

const it = bounded(test);
const { a, b, both, onlyA, close } = await openScene();

it('a stream delivers every chunk once, then finish and usage (rule I59)', async () => {
  const on = stage();
  const request = on.request({ ...sim({ tokens: 50 }), stream: true }, onlyA);
  const turn = await runTurn(on.services, request);
  const events = await drain(turn);
  assert.is(textOf(events).split(' ').length, 51);
  assert.is(events.at(-2)?.type, 'finish');
  assert.is(events.at(-1)?.type, 'usage');
  assert.is((await turn.receipt).usage.completionTokens, 50);
  assert.equal(a.calls.at(-1)?.body.stream_options, { include_usage: true });
  await on.end();
});

it('a plausible usage report of a provider of any dialect logs nothing', async () => {
  for (const dialect of ['chat', 'messages'] as const) {
    const on = stage();
    const cheap = boardEndpoint('a', a.baseUrl);
    const endpoints = board({ ...cheap, target: { ...cheap.target, dialect } });
    const turn = await runTurn(on.services, on.request({ ...sim({ tokens: 5 }), stream: true }, endpoints));
    await drain(turn);
    const { usage, estimated } = await turn.receipt;
    assert.is(usage.completionTokens, 5);
    assert.is(estimated, false);
    assert.equal(on.logs, [], dialect);
    await on.end();
  }
});

for (const garbage of ['negative-usage', 'nan-usage', 'string-usage', 'huge-usage']) {
  it(`${garbage} on a finished stream is unreported: our own count is charged and the client receives no usage`, async () => {
    const on = stage();
    const request = on.request({ ...sim({ garbage, tokens: 12 }), stream: true, max_tokens: 30 }, onlyA);
    const turn = await runTurn(on.services, request);
    const events = await drain(turn);
    assert.is(typesOf(events), 'text-delta finish');
    const receipt = await turn.receipt;
    assert.equal(receipt.usage, {});
    assert.is(receipt.estimated, true);
    assert.ok((receipt.billed.completionTokens as number) > 0 && (receipt.billed.completionTokens as number) <= 30);
    const hold = on.asks[0]?.event.request as HoldRequest;
    const { closing: charged } = await endTurn(on.services, turn);
    assert.ok(Number(charged?.cost) > 0 && Number(charged?.cost) <= Number(hold.amount));
    await on.end();
  });
}

it('an implausible number is dropped with a warning', async () => {
  const on = stage();
  const body = { ...sim({ usage: { prompt_tokens: 90_000_000 }, tokens: 3 }), max_tokens: 30 };
  const turn = await runTurn(on.services, on.request(body, onlyA));
  await drain(turn);
  const receipt = await turn.receipt;
  assert.is(receipt.usage.promptTokens, undefined);
  assert.is(receipt.usage.completionTokens, 3);
  assert.is(on.logs.length, 1);
  await on.end();
});

it('without reported usage the delivered text is counted', async () => {
  const on = stage();
  const turn = await runTurn(on.services, on.request({ ...sim({ usage: false, tokens: 40 }), stream: true }, onlyA));
  await drain(turn);
  const { billed, estimated, usage } = await turn.receipt;
  assert.equal(usage, {});
  assert.ok(estimated);
  // Each of the forty chunks is a letter and a number: two tokens or three.
  assert.ok((billed.completionTokens as number) > 60 && (billed.completionTokens as number) < 120);
  await on.end();
});

it('a stream cut after its first part ends in one error and is charged by our own count (rule I59)', async () => {
  const on = stage();
  const body = { ...sim({ cut_after: 5, tokens: 50 }), stream: true };
  const request = on.request(body, both);
  const turn = await runTurn(on.services, request);
  const events = await drain(turn);
  const last = events.at(-1);
  assert.is(last?.type, 'error');
  assert.is(last?.type === 'error' && last.error.status, 502);
  assert.is(events.filter(({ type }) => type === 'error').length, 1);
  assert.is(callsAt(b, body), 0, 'nothing is tried again after delivery');
  const receipt = await turn.receipt;
  assert.ok(receipt.delivered && receipt.estimated);
  assert.is(receipt.finishReason, 'error');
  const { charge, settlement, closing } = await endTurn(on.services, turn);
  assert.is(charge, 'recorded');
  assert.ok(Number(settlement?.cost) > 0);
  assert.is(closing, null, 'a reply that ends in an error carries no usage');
  await on.end();
  assert.equal(outcomesOf(on), ['error']);
});

it('a stall in the middle of a stream ends it with 504 after the idle time (rule I134)', async () => {
  const on = stage({ upstream: { idleMs: 80 } });
  const turn = await runTurn(
    on.services,
    on.request({ ...sim({ hang: 'midstream', tokens: 50 }), stream: true }, onlyA),
  );
  const last = (await drain(turn)).at(-1);
  assert.is(last?.type === 'error' && last.error.status, 504);
  await on.end();
});

it('leaving a cancellable endpoint ends the answer at once and charges the delivered part (rule K71)', async () => {
  const on = stage();
  const body = { ...sim({ tokens: 500, tps: 100 }), stream: true };
  const turn = await runTurn(on.services, on.request(body, onlyA));
  await turn.read();
  await turn.read();
  turn.leave();
  const receipt = await turn.receipt;
  assert.ok(receipt.cancelled && receipt.estimated && receipt.delivered);
  assert.ok((receipt.billed.completionTokens as number) < 20);
  assert.is(await turn.read(), null);
  await on.end();
  const call = a.calls.at(-1);
  while (call?.outcome === 'open') await new Promise((resolve) => setTimeout(resolve, 5));
  assert.is(call?.outcome, 'aborted');
  assert.equal(outcomesOf(on), ['other']);
});

for (const { waiting, chunks, characters } of [
  { waiting: 'in the socket', chunks: 1, characters: 20 },
  { waiting: 'beyond what is read ahead', chunks: 20, characters: 10_000 },
]) {
  it(`usage that waits ${waiting} when the client leaves a cancellable endpoint is charged (rule K71)`, async () => {
    const on = stage({ upstream: { bodyBytesMax: 16 * 1024 * 1024 } });
    const provider = await startScriptedProvider();
    const sent = deferred();
    let sendRest = (): void => {};
    provider.answer = ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(said('first'));
      sendRest = () => {
        for (let chunk = 0; chunk < chunks; chunk++) response.write(said('x'.repeat(characters)));
        const usage = { prompt_tokens: 7, completion_tokens: 123 };
        response.write(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\n`);
        response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
        response.end('data: [DONE]\n\n', () => sent.resolve());
      };
    };
    const endpoints = board(boardEndpoint('a', provider.baseUrl, { cancellable: true }));
    const turn = await runTurn(on.services, on.request({ stream: true }, endpoints));
    assert.is(textOf((await turn.read()) ?? []), 'first');
    sendRest();
    await sent.promise;
    turn.leave();
    const receipt = await turn.receipt;
    assert.equal(receipt.usage, { promptTokens: 7, completionTokens: 123 });
    assert.is(receipt.estimated, false);
    assert.is(receipt.cancelled, true);
    await on.end();
    assert.equal(outcomesOf(on), ['success']);
    await provider.close();
  });
}

it('of an answer that had arrived without usage when the client left, only the delivered part is charged', async () => {
  const on = stage();
  const provider = await startScriptedProvider();
  const sent = deferred();
  let sendRest = (): void => {};
  provider.answer = ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(said('first'));
    sendRest = () => void response.write(said('word '.repeat(400)), () => sent.resolve());
  };
  const turn = await runTurn(
    on.services,
    on.request({ stream: true }, board(boardEndpoint('a', provider.baseUrl, { cancellable: true }))),
  );
  await turn.read();
  sendRest();
  await sent.promise;
  turn.leave();
  const receipt = await turn.receipt;
  assert.ok(receipt.estimated && receipt.cancelled);
  assert.ok((receipt.billed.completionTokens as number) < 5, `${receipt.billed.completionTokens} tokens`);
  await on.end();
  await provider.close();
});

it('a client that leaves before the first part was delivered pays nothing at any endpoint (rule K71)', async () => {
  for (const endpoints of [onlyA, board(boardEndpoint('a', a.baseUrl, { cancellable: false }))]) {
    const on = stage();
    const request = on.request({ ...sim({ tokens: 500, tps: 100 }), stream: true }, endpoints);
    const turn = await runTurn(on.services, request);
    turn.leave();
    const receipt = await turn.receipt;
    assert.not(receipt.delivered);
    assert.is((await endTurn(on.services, turn)).closing, null);
    await on.end();
    assert.equal(eventsOf(on), ['turn.admit', 'hold.release']);
    assert.is(releaseOf(on)?.attempt, 1);
    const call = a.calls.at(-1);
    while (call?.outcome === 'open') await new Promise((resolve) => setTimeout(resolve, 5));
    assert.is(call?.outcome, 'aborted');
  }
});

it('the answer of any other endpoint is read on for its usage, and that usage is charged (rule K71)', async () => {
  const on = stage();
  const reading = board(boardEndpoint('a', a.baseUrl, { cancellable: false }));
  const turn = await runTurn(on.services, on.request({ ...sim({ tokens: 40, tps: 400 }), stream: true }, reading));
  await turn.read();
  turn.leave();
  const receipt = await turn.receipt;
  assert.is(receipt.usage.completionTokens, 40);
  assert.is(receipt.estimated, false);
  assert.is(receipt.cancelled, true);
  assert.is(receipt.finishReason, 'stop');
  await on.end();
  assert.equal(outcomesOf(on), ['success']);
});

it('reading on is bounded, and then our own count is charged (rule K71)', async () => {
  const on = stage({ upstream: { readOnMs: 60 } });
  const reading = board(boardEndpoint('a', a.baseUrl, { cancellable: false }));
  const turn = await runTurn(
    on.services,
    on.request({ ...sim({ hang: 'midstream', tokens: 40 }), stream: true }, reading),
  );
  await turn.read();
  const waiting = turn.read();
  turn.leave();
  const receipt = await turn.receipt;
  assert.ok(receipt.estimated && receipt.cancelled);
  assert.is(receipt.attempts.at(-1)?.outcome, 'aborted');
  await waiting;
  await on.end();
  assert.equal(on.services.holds.pending.count, 0);
});

it('an unanswered charge is repeated in the background and shutdown waits for it (rule K81)', async () => {
  let settles = 0;
  const on = stage({
    answers: (sent) =>
      sent.event.type === 'hold.settle' && ++settles < 4
        ? failing({ code: 'moved', owner: null, epoch: 1 })
        : generous(sent),
  });
  const request = on.request(sim({ tokens: 2 }), onlyA);
  const turn = await runTurn(on.services, request);
  await drain(turn);
  assert.is((await endTurn(on.services, turn)).closing, null);
  assert.is(on.services.holds.pending.count, 1);
  await on.end();
  assert.is(settles, 4);
});

it('a settle that the account refuses is logged and not repeated', async () => {
  const refusal = { status: 409, type: 'conflict', message: 'stale' };
  const on = stage({
    answers: (sent) => (sent.event.type === 'hold.settle' ? ({ refusal } as never) : generous(sent)),
  });
  const request = on.request(sim({ tokens: 2 }), onlyA);
  const turn = await runTurn(on.services, request);
  await drain(turn);
  assert.is((await endTurn(on.services, turn)).closing, null);
  assert.is(on.logs.length, 1);
  await on.end();
});

it('tool calls arrive complete from streams and from whole replies (rule I137)', async () => {
  const tools = [{ type: 'function', function: { name: 'add' } }];
  const toolCalls = [
    { name: 'add', arguments: '{"a":1,"b":2}' },
    { name: 'add', arguments: '{"a":3}' },
  ];
  for (const stream of [false, true]) {
    const on = stage();
    const turn = await runTurn(on.services, on.request({ ...sim({ tool_calls: toolCalls }), tools, stream }, onlyA));
    const events = await drain(turn);
    const calls: string[] = [];
    for (const event of events) {
      if (event.type === 'tool-start') calls[event.index] = '';
      if (event.type === 'tool-delta') calls[event.index] += event.arguments;
    }
    assert.equal(calls, ['{"a":1,"b":2}', '{"a":3}']);
    assert.is(
      events.find(({ type }) => type === 'finish')?.type === 'finish' && (await turn.receipt).finishReason,
      'tool_calls',
    );
    await on.end();
  }
});

it('a client that reads slower than the total time of a turn is not the fault of the endpoint (rule E30)', async () => {
  const clock = new ManualClock();
  const on = stage({ upstream: { totalMs: 300 }, clock });
  const request = on.request({ ...sim({ tokens: 100_000 }), stream: true }, onlyA);
  const turn = await runTurn(on.services, request);
  await turn.read();
  // Provider and client share this event loop: bytes that are sent arrive in one of its next turns.
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(400);
  const last = (await drain(turn)).at(-1);
  assert.is(last?.type === 'error' && last.error.status, 504);
  const receipt = await turn.receipt;
  assert.ok(receipt.delivered && receipt.estimated);
  await on.end();
  assert.equal(outcomesOf(on), ['other']);
});

it('a plausible prompt is charged as reported and in its own tier, above the hold too; beyond the window it is noise (rule K73)', async () => {
  const on = stage();
  const pricing = { prompt: '0.000001', completion: '0', overrides: [{ minPromptTokens: 300, prompt: '0.0001' }] };
  const tiered = board(boardEndpoint('a', a.baseUrl, { pricing, contextLength: 4_000 }));
  const held = async (promptTokens: number): Promise<readonly [hold: number, cost: number]> => {
    const request = on.request(
      sim({ usage: { prompt_tokens: promptTokens, completion_tokens: 1 }, tokens: 1 }),
      tiered,
    );
    const turn = await runTurn(on.services, request);
    await drain(turn);
    const { closing: charged } = await endTurn(on.services, turn);
    const { amount } = on.asks.at(-2)?.event.request ?? {};
    return [Number(amount), Number(charged?.cost)];
  };
  const [hold, cost] = await held(250);
  assert.ok(hold < 0.00025, 'a provider that adds a system prompt counts more than the hold');
  assert.is(cost, 0.00025);
  assert.is((await held(400))[1], 0.04, 'the tier of the reported count');
  assert.is((await held(4_000))[1], 0.4, 'all of the window');
  const [most, own] = await held(4_001);
  assert.ok(own > 0 && own <= most, 'our own count');
  await on.end();
});

it('tokens of media and options are only estimated: a count within their bound is charged exactly, far above the hold too (rule K73)', async () => {
  const on = stage();
  const sees = {
    inputModalities: ['text', 'image'],
    inputs: { image: { sources: ['data'], containers: null } },
  } as const;
  const extra = { supportedParameters: ['context'], passthrough: { context: { type: 'unknown' } } } as const;
  const endpoints = board({ ...boardEndpoint('a', a.baseUrl), ...sees, ...extra });
  const url = 'data:image/png;base64,AAAA';
  const image = { type: 'image_url', image_url: { url, detail: 'low' } };
  for (const beside of [{ content: [image] }, { options: { a: { context: 'x'.repeat(20_000) } } }]) {
    const question = sim({ usage: { prompt_tokens: 6_000, completion_tokens: 1 }, tokens: 1 }) as {
      messages: object[];
    };
    const body = {
      messages: 'content' in beside ? [{ role: 'user', ...beside }, ...question.messages] : question.messages,
      provider: 'options' in beside ? beside : {},
    };
    const request = on.request(body, endpoints);
    const turn = await runTurn(on.services, request);
    await drain(turn);
    const receipt = await turn.receipt;
    assert.is(receipt.usage.promptTokens, 6_000);
    assert.is((await endTurn(on.services, turn)).closing?.cost, '0.006002');
  }
  await on.end();
});

function said(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
}

test.after(close);

test.run();
