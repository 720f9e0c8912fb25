/** Rule 1: when a turn tells which endpoint served its conversation. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { type Stage, stage } from '../stage.ts';
import { drain, openScene, sim } from './scene.ts';

const it = bounded(test);
const { a, b, both, close } = await openScene();
const ACCOUNT = 'account:acct_1';
const TALK = { session_id: 'talk', stream: true };
const [atA, atB] = [boardEndpoint('a', a.baseUrl, { cancellable: false }), boardEndpoint('b', b.baseUrl)];

const lastIn = (on: Stage): string | null | undefined => on.affinity.recall(ACCOUNT, 'talk')?.lastOf('sim/fast');

it('the endpoint that served after a fail-over is known with the end of its answer', async () => {
  const on = stage({ endpoints: both });
  const turn = await runTurn(on.services, on.request({ ...TALK, ...sim({ only_on: 'a', status: 500 }) }, both));
  await drain(turn);
  assert.is(lastIn(on), atB.id);
  await on.end();
});

it('an answer that breaks off leaves its conversation where it was', async () => {
  const on = stage({ endpoints: both });
  on.affinity.remember(ACCOUNT, 'talk', atB);
  const turn = await runTurn(on.services, on.request({ ...TALK, ...sim({ cut_after: 2, tokens: 9 }) }, both));
  assert.is(turn.head.provider, 'A');
  assert.is((await drain(turn)).at(-1)?.type, 'error');
  assert.is(lastIn(on), atB.id);
  await on.end();
});

it('a client that leaves has been served: known at once, and not again when its answer was read to the end', async () => {
  const on = stage({ endpoints: both, upstream: { readOnMs: 20 } });
  const turn = await runTurn(
    on.services,
    on.request({ ...TALK, ...sim({ hang: 'midstream', tokens: 40 }) }, board(atA)),
  );
  await turn.read();
  assert.is(lastIn(on), null);
  turn.leave();
  assert.is(lastIn(on), atA.id);
  on.affinity.remember(ACCOUNT, 'talk', atB);
  await turn.receipt;
  await on.end();
  assert.is(lastIn(on), atB.id, 'a later turn moved the conversation meanwhile');
});

test.after(close);

test.run();
