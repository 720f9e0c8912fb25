/** Work in flight as operators see it, and how they stop it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Settlement } from '../../../actors/terms/hold.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { Flights, type FlightView } from '../../../gateway/inflight/flights.ts';
import { type FlightsOfNode, hostCallsOf } from '../../../gateway/inflight/host-calls.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';
import { eventually } from '../../support/eventually.ts';
import { openScene, outcomesOf, releaseOf, sim, textOf } from '../inference/scene.ts';
import { type Stage, stage } from '../stage.ts';

const it = bounded(test);
const { both, onlyA, close } = await openScene();
const OPERATOR = { kind: 'operator', id: 'test' } as const;

const viewsOf = (on: Stage): readonly FlightView[] => [...on.jobs.flights.views()];
const stop = (on: Stage, id: string) =>
  hostCallsOf(on.jobs.flights)['flights.stop']?.({ id, reason: 'it runs away', by: OPERATOR });

it('a request is in flight from its admission until its charge is durable, with endpoint, hold and tokens', async () => {
  const on = stage();
  const request = on.request({ ...sim({ tokens: 50 }), stream: true }, onlyA);
  const running = runTurn(on.services, request);
  assert.equal(
    viewsOf(on).map(({ id, kind, phase, endpoint }) => ({ id, kind, phase, endpoint })),
    [{ id: request.generation, kind: 'request', phase: 'admitted', endpoint: null }],
  );
  const turn = await running;
  const [view] = viewsOf(on);
  assert.is(view?.phase, 'first_byte');
  assert.is(view?.provider, 'a');
  assert.is(view?.held, turn.held);
  await turn.read();
  await turn.read();
  assert.is(viewsOf(on)[0]?.phase, 'streaming');
  assert.ok((viewsOf(on)[0]?.tokens ?? 0) > 0);
  await endTurn(on.services, turn);
  assert.equal(viewsOf(on), []);
  await on.end();
});

it('operators who stop one piece of work at once have one outcome, and a refused stop can be repeated', async () => {
  const flights = new Flights(() => 0);
  const work = { id: 'gen-1', kind: 'render', account: 'account:a', key: 'key:a/k', model: 'm' } as const;
  const flight = flights.begin(work);
  let stops = 0;
  flight.onStop = () => {
    stops++;
    throw new GatewayError({ status: 409, type: 'conflict', message: 'it cannot be cancelled' });
  };
  const calls = hostCallsOf(flights);
  const asked = { id: 'gen-1', reason: 'it runs away', by: OPERATOR };
  const refused = { outcome: 'refused', why: 'it cannot be cancelled' };
  assert.equal(await Promise.all([1, 2].map(() => calls['flights.stop']?.(asked))), [refused, refused]);
  assert.equal([stops, flight.stopReason], [1, null]);
  flight.onStop = () => {};
  assert.equal(await calls['flights.stop']?.(asked), { outcome: 'stopped' });
});

it('a request that no endpoint serves leaves nothing in flight', async () => {
  const on = stage();
  await runTurn(on.services, on.request(sim({ status: 500 }), onlyA)).catch(() => {});
  assert.equal(viewsOf(on), []);
  await on.end();
});

it('a request that is stopped before its answer is refused with the reason, tries no other endpoint and releases its hold (rule E52)', async () => {
  const on = stage();
  const request = on.request(sim({ ttft_ms: 60_000 }), both);
  const running = runTurn(on.services, request).catch((error: unknown) => error);
  await eventually(async () => assert.is(viewsOf(on)[0]?.phase, 'waiting'));
  assert.equal(await stop(on, request.generation), { outcome: 'stopped' });
  const error = (await running) as { readonly status: number; readonly message: string };
  assert.is(error.status, 503);
  assert.match(error.message, /it runs away/);
  await eventually(async () => assert.is(releaseOf(on)?.attempts?.length, 1));
  assert.not.ok(outcomesOf(on).includes('error'), 'no endpoint is blamed');
  await on.end();
});

it('a stream that is stopped ends with the reason, and what was delivered is charged (rule E52)', async () => {
  const on = stage();
  const request = on.request({ ...sim({ tokens: 10_000, tps: 200, usage: false }), stream: true }, onlyA);
  const turn = await runTurn(on.services, request);
  const first = await turn.read();
  assert.equal(await stop(on, request.generation), { outcome: 'stopped' });
  const rest = [];
  for (let events = await turn.read(); events !== null; events = await turn.read()) rest.push(...events);
  const last = rest.at(-1);
  assert.is(last?.type, 'error');
  assert.match(last?.type === 'error' ? last.error.message : '', /it runs away/);
  const ended = await endTurn(on.services, turn);
  assert.is(ended.closing, null);
  const settlement = on.asks.at(-1)?.event.settlement as Settlement;
  const delivered = textOf([...(first ?? []), ...rest]).split(' ').length;
  assert.ok((settlement.completionTokens ?? 0) >= delivered && (settlement.completionTokens ?? 0) < 4 * delivered + 8);
  assert.not.ok(outcomesOf(on).includes('error'), 'the endpoint is not blamed');
  await on.end();
});

it('the list of a node is filtered, and a stop of what it does not run is absent', async () => {
  const on = stage();
  const request = on.request({ ...sim({ tokens: 5 }), stream: true }, onlyA);
  const turn = await runTurn(on.services, request);
  const list = async (filter: object) => (await hostCallsOf(on.jobs.flights)['flights.list']?.({ ...filter })) as never;
  assert.is(((await list({ kind: 'request' })) as FlightsOfNode).total, 1);
  assert.is(((await list({ kind: 'render' })) as FlightsOfNode).total, 0);
  assert.is(((await list({ id: request.generation })) as FlightsOfNode).total, 1);
  assert.is(((await list({ id: 'gen-of-another-node' })) as FlightsOfNode).total, 0);
  assert.is(((await list({ model: 'sim/fast', account: request.caller.account })) as FlightsOfNode).views.length, 1);
  assert.equal(await stop(on, 'gen-of-another-node'), { outcome: 'absent' });
  await endTurn(on.services, turn);
  await on.end();
});

test.after(close);
test.run();
