import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HoldRequest } from '../../../actors/terms/hold.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { stage } from '../stage.ts';
import { drain, failed, openScene, releaseOf, settlementOf, sim } from './scene.ts';

const it = bounded(test);
const { both, onlyA, close } = await openScene();

it('a later run of a turn numbers its holds above all of the earlier run, and marks them as repeats', async () => {
  const on = stage();
  const body = { ...sim({ only_on: 'a', status: 500, tokens: 4 }), max_tokens: 20 };
  const request = { ...on.request(body, both), runAttempt: 2 };
  const turn = await runTurn(on.services, request);
  await drain(turn);
  const receipt = await turn.receipt;
  assert.is(receipt.attempt, 1_002);
  await endTurn(on.services, turn);
  const holds = on.asks.slice(0, 2).map(({ event }) => event.request as HoldRequest);
  assert.equal(
    holds.map(({ attempt, repeat }) => [attempt, repeat]),
    [
      [1_001, true],
      [1_002, true],
    ],
  );
  assert.ok(holds[0]?.route, 'each run sends its own plan');
  assert.is(settlementOf(on)?.attempt, 1_002);
  await on.end();
});

it('a later run that fails releases under its own number', async () => {
  const on = stage();
  const request = { ...on.request(sim({ status: 500 }), onlyA), runAttempt: 3 };
  await failed(runTurn(on.services, request));
  await on.end();
  assert.is(releaseOf(on)?.attempt, 2_001);
});

test.after(close);
test.run();
