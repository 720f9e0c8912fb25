/** Rule 9: endpoints that the money does not reach for are passed over, and 402 is answered only if there is no other. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountKind } from '../../../actors/account/account.ts';
import { auditKind } from '../../../actors/audit/audit.ts';
import { keyKind } from '../../../actors/key/key.ts';
import type { KeyState } from '../../../actors/key/key-state.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { Hold } from '../../../gateway/inference/hold.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import type { TurnRequest } from '../../../gateway/inference/turn-request.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { PureActors } from '../../support/model/pure-actors.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { type Stage, stage } from '../stage.ts';
import { callsAt, drain, eventsOf, failed, openScene, sim } from './scene.ts';

const it = bounded(test);
const { a, b, both, close } = await openScene();

/** Inference on a real account with this deposit and a real key. */
function openFunded(deposit: string, key: Record<string, unknown> = {}): { on: Stage; actors: PureActors } {
  const actors = new PureActors([accountKind(), keyKind, auditKind], Date.now());
  actors.tell(ACCOUNT, { type: 'account.create', name: 'Ada' } as never);
  actors.tell(ACCOUNT, words.depositEvent('dep-0', deposit));
  actors.tell(KEY, words.createKeyEvent(key));
  return { actors, on: stage({ answers: ({ to, event }) => actors.ask(to, event) }) };
}

/** The same request with its candidates in the opposite order: the most expensive one first. */
function dearFirst(request: TurnRequest): TurnRequest {
  return { ...request, plan: { ...request.plan, candidates: [...request.plan.candidates].reverse() } };
}

/** What each candidate would hold. */
async function amountsOf(request: TurnRequest): Promise<readonly string[]> {
  const on = stage();
  const amounts: string[] = [];
  for (const candidate of request.plan.candidates) {
    await new Hold(on.services.holds, request).secure(candidate);
    amounts.push(on.asks.at(-1)?.event.request?.amount as string);
  }
  return amounts;
}

const rateOf = (actors: PureActors): number => actors.context<KeyState>(KEY).rate.count;

it('an endpoint that the balance does not cover is passed over at the first place, and the cheaper one serves (rule K58)', async () => {
  for (const [deposit, key] of [
    ['0.0005', {}],
    ['100', { limit: '0.0005' }],
  ] as const) {
    const { on, actors } = openFunded(deposit, key);
    const body = { ...sim({ tokens: 4 }), max_tokens: 50 };
    const request = dearFirst(on.request(body, both));
    const [dear, cheap] = (await amountsOf(request)) as [string, string];
    assert.ok(Number(dear) > 0.0005 && Number(cheap) < 0.0005, `${dear} ${cheap}`);
    const turn = await runTurn(on.services, request);
    await drain(turn);
    await endTurn(on.services, turn);
    await on.end();
    assert.is(turn.head.provider, 'A');
    assert.is(callsAt(b, body), 0);
    assert.is(rateOf(actors), 1, 'one request, although it asked for two holds');
    const recorded = actors.row<Generation>(ACCOUNT, 'generation', request.generation);
    assert.is(recorded?.status, 'settled');
    assert.ok(recorded?.route, 'the plan is recorded with the hold that was granted');
    assert.equal(
      recorded?.settlement?.attempts.map(({ provider, outcome }) => [provider, outcome]),
      [
        ['B', 'skipped'],
        ['A', 'served'],
      ],
    );
    assert.is(actors.context<KeyState>(KEY).held, '0');
  }
});

it('402 names the cheapest endpoint if the balance covers none, after one ask and without a provider (rule K58)', async () => {
  for (const order of [dearFirst, (request: TurnRequest) => request]) {
    const { on, actors } = openFunded('0.00001');
    const body = { ...sim({}), max_tokens: 50 };
    const request = order(on.request(body, both));
    const amounts = await amountsOf(request);
    const error = await failed(runTurn(on.services, request));
    await on.end();
    assert.is(error.status, 402);
    const cheapest = [...amounts].sort((x, y) => Number(x) - Number(y))[0];
    const shown = { scope: 'account', required: cheapest, available: '0.00001', affordable_max_tokens: 0 };
    assert.equal(error.metadata, shown);
    assert.equal(eventsOf(on), ['turn.admit']);
    assert.is(callsAt(a, body) + callsAt(b, body), 0);
    assert.is(rateOf(actors), 1);
  }
});

it('the only affordable endpoint of many serves, wherever the plan puts it', async () => {
  const { on, actors } = openFunded('0.0005');
  const many = board(
    boardEndpoint('a', a.baseUrl),
    ...Array.from({ length: 40 }, (_, n) =>
      boardEndpoint(`dear${n}`, b.baseUrl, { pricing: { prompt: '0.01', completion: `0.0${n + 10}` } }),
    ),
  );
  const body = { ...sim({}), max_tokens: 50 };
  const turn = await runTurn(on.services, dearFirst(on.request(body, many)));
  await drain(turn);
  await endTurn(on.services, turn);
  await on.end();
  assert.is(turn.head.provider, 'A');
  assert.is(eventsOf(on).filter((type) => type === 'turn.admit').length, 2);
  assert.is(rateOf(actors), 1);
});

it('after a failure, endpoints that the balance does not cover are passed over for a cheaper one', async () => {
  const { on } = openFunded('0.0005');
  const body = { ...sim({ only_on: 'a', status: 500 }), max_tokens: 50 };
  const three = board(
    boardEndpoint('a', a.baseUrl, { pricing: { prompt: '0.0000001', completion: '0.0000001' } }),
    boardEndpoint('b', b.baseUrl),
    boardEndpoint('dear', b.baseUrl, { pricing: { prompt: '0.01', completion: '0.01' } }),
  );
  const request = on.request(body, three);
  const [first, second, third] = request.plan.candidates as [never, never, never];
  const turn = await runTurn(on.services, {
    ...request,
    plan: { ...request.plan, candidates: [first, third, second] },
  });
  await drain(turn);
  const { attempts } = await turn.receipt;
  await endTurn(on.services, turn);
  await on.end();
  assert.equal(
    attempts.map(({ provider, outcome }) => [provider, outcome]),
    [
      ['A', 'failed'],
      ['A', 'failed'],
      ['DEAR', 'skipped'],
      ['B', 'served'],
    ],
  );
});

it('402 names what others hold only where the least that the turn accepts fits once they have ended', async () => {
  const held = async (deposit: string, open: string, members: object): Promise<unknown> => {
    const { on, actors } = openFunded(deposit);
    if (open !== '0') actors.tell(KEY, words.admitEvent(words.request('gen-open', open)));
    const error = await failed(runTurn(on.services, on.request({ ...sim({}), ...members }, long())));
    await on.end();
    assert.is(error.status, 402);
    return error.metadata.held;
  };
  const asked = { max_tokens: 50 };
  assert.is(await held('100', '99.99999', asked), '99.99999');
  assert.is(await held('0.00001', '0', asked), undefined, 'nothing is held');
  assert.is(await held('0.00002', '0.00001', asked), undefined, 'it never fits');
  assert.is(await held('100', '99.99999', {}), '99.99999');
  const [full, least] = await Promise.all([{}, { max_tokens: 4_096 }].map((members) => amountOf(members)));
  assert.ok(Number(full) > Number(least));
  assert.is(await held(String(least), '0.000001', {}), '0.000001', 'the least ceiling would fit the whole balance');
  assert.is(await held(String(Number(least) * 0.9), '0.000001', {}), undefined);
});

/** Its own ceiling is above the least of 4,096 tokens. */
const long = () => board(boardEndpoint('a', a.baseUrl, { contextLength: 200_000, maxCompletionTokens: 64_000 }));

async function amountOf(members: object): Promise<string> {
  const on = stage();
  const request = on.request({ ...sim({}), ...members }, long());
  const [amount] = await amountsOf(request);
  return amount as string;
}

it('a refusal for another reason than money ends the turn at once', async () => {
  const { on } = openFunded('10', { perMinute: 0 });
  const error = await failed(runTurn(on.services, on.request(sim({}), both)));
  assert.is(error.status, 429);
  await on.end();
  assert.equal(eventsOf(on), ['turn.admit']);
});

test.after(close);

test.run();
