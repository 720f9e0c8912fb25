import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HoldRequest, Release, Settlement } from '../../../actors/terms/hold.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { routeDecision } from '../../../gateway/inference/route-decision.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { stage } from '../stage.ts';
import { drain, failed, openScene, releaseOf, settlementOf, sim } from './scene.ts';

const it = bounded(test);
const { a, b, onlyA, close } = await openScene();

it('the hold carries the plan, the release the reason of each failed attempt, and the error both (rule E7)', async () => {
  const on = stage();
  const endpoints = board(
    boardEndpoint('a', a.baseUrl),
    boardEndpoint('b', b.baseUrl, { pricing: { prompt: '0.00001', completion: '0.00002' } }),
    boardEndpoint('c', b.baseUrl, { supportedParameters: [] }),
  );
  const body = { ...sim({ status: 500 }), temperature: 1 };
  const error = await failed(runTurn(on.services, on.request(body, endpoints)));
  const rejection = { provider: 'c', endpoint: 'c', reason: 'require_parameters', member: 'temperature' };
  assert.equal(error.metadata.rejections, [rejection]);
  assert.equal(error.metadata.previous_errors, [
    { provider: 'A', code: 'unavailable', status: 500 },
    { provider: 'B', code: 'unavailable', status: 500 },
  ]);
  const first = on.asks[0]?.event.request as HoldRequest;
  assert.equal(first.route?.candidates, [{ endpoint: 'a' }, { endpoint: 'b' }]);
  assert.equal(first.route?.rejections, [{ endpoint: 'c', reason: 'require_parameters', member: 'temperature' }]);
  assert.is(on.asks[1]?.event.request?.route, undefined, 'sent once');
  await on.end();
  const { attempts, admittedMs, totalMs } = releaseOf(on) as Release;
  assert.equal(
    attempts.map(({ outcome, reason }) => `${outcome} ${reason}`),
    ['failed unavailable', 'failed unavailable', 'failed unavailable', 'failed unavailable'],
  );
  assert.ok((admittedMs as number) >= 0 && (totalMs as number) >= (admittedMs as number));
});

it('a plain request has no route decision: one endpoint, taken at the first attempt', async () => {
  const on = stage();
  const request = on.request(sim({ tokens: 2 }), onlyA);
  const turn = await runTurn(on.services, request);
  await drain(turn);
  await endTurn(on.services, turn);
  assert.is(on.asks[0]?.event.request?.route, undefined);
  assert.not.ok('honoured' in (settlementOf(on) as Settlement));
  assert.ok((settlementOf(on)?.admittedMs as number) >= 0);
  await on.end();
});

it('the route decision is bounded and records how much it omits and how many messages compression dropped', () => {
  const messages = [{ role: 'user', text: 'a' }] as const;
  const whole = [...messages, ...messages, ...messages];
  const candidate = (tag: string, model: string) => ({ endpoint: { tag }, model, messages });
  const candidates = Array.from({ length: 25 }, (_, at) => candidate(`p${at}`, at === 1 ? 'c/d' : 'a/b'));
  const rejections = Array.from({ length: 40 }, () => ({
    provider: 'x',
    endpoint: 'x',
    model: 'a/b',
    reason: 'health',
    detail: 'y',
  }));
  const decision = routeDecision({
    turn: { messages: whole, models: ['a/b', 'c/d'] },
    plan: { candidates, rejections },
  } as never);
  assert.is(decision?.candidates.length, 20);
  assert.equal(decision?.candidates[0], { endpoint: 'p0', model: 'a/b', dropped: 2 });
  assert.equal(decision?.candidates[1], { endpoint: 'p1', model: 'c/d', dropped: 2 });
  assert.equal(decision?.rejections?.[0], { endpoint: 'x', model: 'a/b', reason: 'health', detail: 'y' });
  assert.is(decision?.rejections?.length, 30);
  assert.is(decision?.omitted, 15);
});

test.after(close);

test.run();
