/** Turns from body to end through the two functions that live requests and batch lines use, without HTTP. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { kinds } from '../../../actors/kinds.ts';
import { type ActorEvent, AskError, type Json } from '../../../actors/runtime/index.ts';
import type { Generation, Settlement } from '../../../actors/terms/hold.ts';
import { holdAttempt } from '../../../actors/terms/hold.ts';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { type EndedTurn, endTurn } from '../../../gateway/inference/end-turn.ts';
import type { RunningTurn } from '../../../gateway/inference/running-turn.ts';
import { CallerAbort } from '../../../gateway/inference/turn-request.ts';
import { CallerLeft } from '../../../gateway/terms/gateway-error.ts';
import { senderKind } from '../../actors/example-kinds/sender.ts';
import { openStage } from '../../actors/runtime/durable/stage.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { startScriptedProvider } from '../../support/provider/scripted-provider.ts';
import { failing, generous, type Stage, stage } from '../stage.ts';
import { callsAt, eventsOf, failed, openScene, releaseOf, settlementOf, sim } from './scene.ts';
import { start, type TurnInput } from './start.ts';

const it = bounded(test);
const { a, b, both, onlyA, close } = await openScene();
test.after(close);

let generations = 0;

/** The text completion of a directive: the same prompt as its chat message. */
function prompt(directive: object): object {
  const [message] = (sim(directive) as { messages: { content: string }[] }).messages;
  return { prompt: message?.content };
}

/** The same as the input of a response. */
function responsesInput(directive: object): object {
  const { prompt: given } = prompt(directive) as { prompt: string };
  return { input: given };
}

const BODY = { chat: sim, completions: prompt, messages: sim, responses: responsesInput } as const;
type Name = keyof typeof BODY;
const NAMES = Object.keys(BODY) as Name[];

/** The input of `startTurn`, without anything of HTTP. */
function input(name: Name, body: unknown, more: Partial<TurnInput> = {}): TurnInput {
  const complete =
    typeof body === 'object' && !Array.isArray(body)
      ? { model: 'sim/fast', [name === 'responses' ? 'max_output_tokens' : 'max_tokens']: 50, ...body }
      : body;
  return {
    dialect: DIALECTS[name],
    body: body === null ? null : complete,
    session: null,
    generation: `gen-line-${++generations}`,
    bytes: 100,
    caller: { account: ACCOUNT, key: KEY, kind: 'inference' },
    attribution: { appTitle: 'the app', appUrl: null },
    startedAt: performance.now(),
    ...more,
  };
}

/** The reply that a batch line would store, as its route writes it. */
function replyOf(running: RunningTurn, { events, closing }: EndedTurn): Record<string, Json> {
  return JSON.parse(running.request.reply.whole(running.head, events, closing));
}

const textIn = (reply: Record<string, Json>): unknown => {
  if (reply.object === 'response') return (reply.output as { content: { text: string }[] }[])[0]?.content[0]?.text;
  if ('content' in reply) return (reply.content as { text: string }[])[0]?.text;
  const [choice] = reply.choices as { text?: string; message?: { content: string } }[];
  return choice?.message?.content ?? choice?.text;
};

/** The last frames of a stream of 4 tokens. */
const ENDINGS: { readonly [name in Name]: RegExp } = {
  chat: /x1 .*x2 .*"finish_reason":"stop".*"usage":\{.*"cost":.*\n\ndata: \[DONE\]\n\n$/s,
  completions: /x1 .*x2 .*"finish_reason":"stop".*"usage":\{.*"cost":.*\n\ndata: \[DONE\]\n\n$/s,
  messages: /x1 .*x2 .*"stop_reason":"end_turn".*"usage":\{.*"cost":.*\n\nevent: message_stop\ndata: .*\n\n$/s,
  responses: /x1 .*x2 .*event: response.completed\n.*"status":"completed".*"usage":\{.*"cost":.*\n\n$/s,
};

for (const name of NAMES) {
  it(`a ${name} body becomes a whole reply that is held, answered and charged (rule I6)`, async () => {
    const on = stage({ endpoints: onlyA });
    const accepted: string[] = [];
    const turnInput = input(name, BODY[name]({ tokens: 3 }), {
      onAccepted: ({ generation }) => accepted.push(`${generation} after ${on.asks.length} asks`),
    });
    const running = await start(on.services, turnInput);
    assert.equal(accepted, [`${turnInput.generation} after 0 asks`]);
    const ended = await endTurn(on.services, running);
    assert.equal(eventsOf(on), ['turn.admit', 'hold.settle']);
    assert.is(on.asks[0]?.event.request?.appTitle, 'the app');
    assert.equal([ended.charge, ended.error], ['recorded', null]);
    assert.equal(ended.settlement, settlementOf(on));
    const reply = replyOf(running, ended);
    const id = name === 'responses' ? turnInput.generation.replace('gen-', 'resp_') : turnInput.generation;
    assert.is(reply.id, id);
    assert.is(running.head.provider, 'A');
    assert.match(String(textIn(reply)), /^a:\d+ x1 x2 $/);
    const { cost, completion_tokens, output_tokens } = reply.usage as Record<string, number>;
    assert.is(cost, Number(ended.settlement?.cost));
    assert.is(completion_tokens ?? output_tokens, 3);
    await on.end();
  });

  it(`a streamed ${name} body is read in parts and ends with the same function`, async () => {
    const on = stage({ endpoints: onlyA });
    const running = await start(on.services, input(name, { ...BODY[name]({ tokens: 4, tps: 200 }), stream: true }));
    const frames = running.request.reply.frames(running.head);
    let text = '';
    for (let read = await running.read(); read !== null; read = await running.read()) text += frames.of(read);
    const ended = await endTurn(on.services, running);
    assert.equal(ended.events, [], 'all parts were read already');
    text += frames.end(ended.closing);
    assert.match(text, ENDINGS[name]);
    assert.is(ended.charge, 'recorded');
    await on.end();
  });

  it(`a refused ${name} body asks no actor, whatever JSON value it is`, async () => {
    const on = stage({ endpoints: onlyA });
    const good = BODY[name]({});
    for (const [body, status] of [
      [null, 400],
      [5, 400],
      ['text', 400],
      [[], 400],
      [{ ...good, model: undefined }, 400],
      [{ ...good, temperature: 3 }, 400],
      [{ ...good, model: 'sim/unknown' }, 404],
      [{ ...good, provider: { only: ['nobody'] } }, 503],
    ] as const) {
      const turnInput = input(name, body, { onAccepted: () => assert.unreachable('a refused body has no plan') });
      assert.is((await failed(start(on.services, turnInput))).status, status, JSON.stringify(body));
    }
    assert.equal(on.asks, []);
    await on.end();
  });

  it(`a ${name} turn that no provider serves is released and fails with the error of the live route`, async () => {
    const on = stage({ endpoints: both });
    const body = BODY[name]({ status: 500 });
    const error = await failed(start(on.services, input(name, body)));
    assert.equal([error.status, error.type], [502, 'provider_unavailable']);
    await on.end();
    assert.is(callsAt(a, body) + callsAt(b, body), 4);
    assert.is(eventsOf(on).at(-1), 'hold.release');
    assert.is(releaseOf(on)?.status, 502);
    assert.is(settlementOf(on), undefined);
  });

  it(`a ${name} turn that breaks off is charged for the delivered part, and closes with its error and no usage`, async () => {
    const on = stage({ endpoints: onlyA });
    const body = { ...BODY[name]({ tokens: 20, cut_after: 3, tps: 200 }), stream: true };
    const running = await start(on.services, input(name, body));
    const ended = await endTurn(on.services, running);
    assert.is(ended.error?.status, 502);
    assert.ok(ended.events.length > 1, 'the parts before the error');
    assert.equal([ended.charge, ended.closing], ['recorded', null]);
    assert.ok(Number(settlementOf(on)?.cost) > 0);
    await on.end();
  });
}

it('speech that a messages reply cannot carry: 422 uncharged where nothing was delivered, else an error after the text (rule I76)', async () => {
  const speaker = await startScriptedProvider();
  const endpoints = board(boardEndpoint('s', speaker.baseUrl));
  const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
  const speech = { audio: { id: 'a', data: 'AAAA', transcript: 'Hi' } };
  speaker.answer = ({ stream, response }) => {
    const type = stream ? 'text/event-stream' : 'application/json';
    const choice = { index: 0, message: { content: 'Hi', ...speech }, finish_reason: 'stop' };
    response.writeHead(200, { 'content-type': type });
    response.end(stream ? chunk({ content: 'Hi' }) + chunk(speech) : JSON.stringify({ choices: [choice] }));
  };
  const whole = stage({ endpoints });
  const error = await failed(start(whole.services, input('messages', BODY.messages({}))));
  assert.equal([error.status, error.type], [422, 'unprocessable']);
  assert.match(error.message, /\/chat\/completions/);
  await whole.end();
  assert.equal([eventsOf(whole).at(-1), settlementOf(whole)], ['hold.release', undefined]);
  const streamed = stage({ endpoints });
  const body = { ...BODY.messages({}), stream: true };
  const ended = await endTurn(streamed.services, await start(streamed.services, input('messages', body)));
  assert.equal(
    ended.events.map(({ type }) => type),
    ['text-delta', 'error'],
  );
  assert.equal([ended.error?.status, ended.charge, ended.closing], [422, 'recorded', null]);
  await streamed.end();
  await speaker.close();
});

it('a refused admit fails the turn before anything is sent', async () => {
  const refusal = { status: 402, type: 'payment_required', message: 'no credit' } as const;
  const on = stage({ endpoints: onlyA, answers: () => ({ admitted: false, refusal }) });
  const body = sim({});
  const error = await failed(start(on.services, input('chat', body)));
  assert.equal([error.status, error.type, error.message], [402, 'payment_required', 'no credit']);
  assert.is(callsAt(a, body), 0);
  await on.end();
});

it('a charge without an answer leaves the reply without usage, and follows in the background', async () => {
  let settles = 0;
  const on = stage({
    endpoints: onlyA,
    answers: (sent) =>
      sent.event.type === 'hold.settle' && ++settles < 3 ? failing({ code: 'lost' }) : generous(sent),
  });
  const running = await start(on.services, input('chat', sim({ tokens: 2 })));
  const ended = await endTurn(on.services, running);
  assert.equal([ended.charge, ended.closing], ['unrecorded', null]);
  assert.not.ok('usage' in replyOf(running, ended));
  await on.end();
  assert.is(settles, 3);
});

it('a client that leaves before the first part gets no turn; one that leaves before it reads pays nothing', async () => {
  const on = stage({ endpoints: onlyA });
  const signal = new CallerAbort();
  const starting = start(on.services, input('chat', sim({ hang: 'headers' }), { signal }));
  signal.abort();
  const thrown = await starting.then(
    () => null,
    (error) => error,
  );
  assert.instance(thrown, CallerLeft);
  const running = await start(on.services, input('chat', { ...sim({ tokens: 500, tps: 100 }), stream: true }));
  running.leave();
  const ended = await endTurn(on.services, running);
  assert.equal([ended.settlement, ended.charge, ended.closing, ended.events], [null, 'none', null, []]);
  await on.end();
  assert.equal(
    eventsOf(on).filter((type) => type !== 'turn.admit'),
    ['hold.release', 'hold.release'],
  );
});

it('the run, its attempt and the session of a conversation reach the hold and the plan', async () => {
  const endpoints = board(boardEndpoint('a', a.baseUrl), boardEndpoint('b', b.baseUrl));
  const on = stage({ endpoints });
  const session = 'conversation-1';
  on.affinity.remember(ACCOUNT, session, boardEndpoint('b', b.baseUrl));
  for (let run = 2; run < 6; run++) {
    const running = await start(on.services, input('chat', sim({ tokens: 1 }), { session, runAttempt: run }));
    assert.is(running.head.provider, 'B', 'the endpoint that last served the conversation');
    const held = on.asks.at(-1)?.event.request;
    assert.equal([held?.attempt, held?.sessionId], [holdAttempt(run, 1), session]);
    const { receipt } = await endTurn(on.services, running);
    assert.is(receipt.attempt, holdAttempt(run, 1));
  }
  await on.end();
});

/** Real actors of one account in one engine, and inference that asks them. */
async function openActors() {
  const engine = await openStage({ kinds: [...kinds, senderKind] });
  for (const [to, event] of [
    [ACCOUNT, { type: 'account.create', name: 'Ada' }],
    [ACCOUNT, words.depositEvent('dep-1', '10')],
    [KEY, words.createKeyEvent()],
  ] as const) {
    await engine.body(to, event as ActorEvent);
  }
  const on: Stage = stage({ endpoints: onlyA });
  const sent: string[] = [];
  on.cluster.ask = (async (to: string, event: ActorEvent) => {
    sent.push(event.type);
    const answer = await engine.ask(to, event);
    if (!answer.ok) throw new AskError(to, answer.failure);
    return answer.body;
  }) as typeof on.cluster.ask;
  const rows = (collection: string) => engine.store.rows({ collection, address: ACCOUNT, limit: 100 });
  return {
    on,
    sent,
    engine,
    generation: async (id: string) => {
      const row = await engine.store.row({ address: ACCOUNT, collection: 'generation', id });
      return JSON.parse(row?.body ?? 'null') as Generation | null;
    },
    charges: async (id: string) =>
      (await rows('ledger'))
        .map(({ body }) => body)
        .filter((body) => body.includes(id))
        .map((body) => JSON.parse(body) as LedgerEntry),
    close: async () => {
      await on.end();
      await engine.close();
    },
  };
}

const LINE = 'sender:acct_1/line_1';

/** A line stores its reply and sends the settlement to the account, in one commit. */
function lineEnd(settlement: Settlement | null, reply: string): ActorEvent {
  const settle = { type: 'hold.settle', settlement: settlement as unknown as Json };
  return { type: 'deliver', note: reply, messages: [{ to: ACCOUNT, event: settle }] };
}

for (const name of NAMES) {
  it(`a ${name} line commits the settlement with its reply in one commit (rule B18)`, async () => {
    const actors = await openActors();
    const { on, engine } = actors;
    const turnInput = input(name, BODY[name]({ tokens: 5 }));
    const { generation } = turnInput;
    const running = await start(on.services, turnInput);
    const ended = await endTurn(on.services, running, 'later');
    assert.equal(actors.sent, ['turn.admit'], 'no settle was sent');
    assert.is((await actors.generation(generation))?.status, 'running');
    assert.equal(await actors.charges(generation), []);
    assert.is(ended.charge, 'recorded');
    const settlement = ended.settlement as Settlement;
    assert.is(ended.closing?.cost, settlement.cost, 'the reply names the cost that its own commit records');

    const reply = JSON.stringify(replyOf(running, ended));
    const { entries } = engine.engine.gauges;
    const recorded = await engine.body(LINE, lineEnd(settlement, reply));
    assert.is(engine.engine.gauges.entries, entries + 1, 'one commit');
    assert.equal(recorded, { generation, cost: settlement.cost, late: false });
    assert.equal(await engine.body(LINE, { type: 'open' }), [JSON.stringify(reply)]);
    const settled = await actors.generation(generation);
    assert.is(settled?.status, 'settled');
    assert.equal(settled?.settlement, settlement);
    assert.is((await actors.charges(generation)).length, 1);
    await actors.close();
  });

  it(`a ${name} turn whose caller never commits is not charged`, async () => {
    const actors = await openActors();
    const turnInput = input(name, BODY[name]({ tokens: 5 }));
    await endTurn(actors.on.services, await start(actors.on.services, turnInput), 'later');
    await actors.on.services.holds.pending.idle();
    assert.equal(actors.sent, ['turn.admit']);
    assert.equal(await actors.charges(turnInput.generation), []);
    await actors.close();
  });
}

it('a line whose run was taken over by a later attempt commits neither its reply nor a charge', async () => {
  const actors = await openActors();
  const turnInput = input('chat', sim({ tokens: 5 }), { runAttempt: 1 });
  const ended: EndedTurn[] = [];
  for (const runAttempt of [1, 2]) {
    const running = await start(actors.on.services, { ...turnInput, runAttempt });
    ended.push(await endTurn(actors.on.services, running, 'later'));
  }
  const [stale, valid] = ended.map(({ settlement }) => settlement);
  const late = await actors.engine.ask(LINE, lineEnd(stale ?? null, '1'));
  assert.match(JSON.stringify(late), /"status":409/);
  assert.equal(await actors.engine.body(LINE, { type: 'open' }), []);
  assert.equal(await actors.charges(turnInput.generation), []);
  await actors.engine.body(LINE, lineEnd(valid ?? null, '2'));
  assert.equal(await actors.engine.body(LINE, { type: 'open' }), ['"2"']);
  assert.is((await actors.charges(turnInput.generation)).length, 1);
  await actors.close();
});

it('a settlement by ask and one by the commit of the caller are recorded alike', async () => {
  const records = [];
  for (const settle of [undefined, 'later'] as const) {
    const actors = await openActors();
    const turnInput = input('chat', sim({ id: 'same', tokens: 5 }), { generation: 'gen-same' });
    const running = await start(actors.on.services, turnInput);
    const { settlement } = await endTurn(actors.on.services, running, settle);
    if (settle !== undefined) {
      await actors.engine.body(LINE, lineEnd(settlement, ''));
    }
    const record = (await actors.generation('gen-same')) as Generation;
    const { cost, promptTokens, completionTokens, finishReason } = record.settlement as Settlement;
    const [charge] = await actors.charges('gen-same');
    records.push({ cost, promptTokens, completionTokens, finishReason, amount: charge?.amount });
    await actors.close();
  }
  assert.equal(records[0], records[1]);
  assert.ok(Number(records[0]?.cost) > 0);
});

test.run();
