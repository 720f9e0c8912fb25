import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Kind } from '../../../../../actors/runtime/actor/kind.ts';
import { bounded } from '../../../../support/bounded.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { openStage } from '../stage.ts';

const it = bounded(test);

/** The older chart version cannot represent totals above a hundred. */
const newer: Kind = {
  ...counterKind,
  version: counterKind.version + 1,
  upcast: (saved) => saved,
  downcast: (saved) => {
    if ((saved.context as { total: number }).total > 100) throw new Error('too much for the older chart');
    return saved;
  },
};

it('a state that the older chart cannot represent fails only its own step', async () => {
  const stage = await openStage({ kinds: [newer], levels: { counter: counterKind.version } });
  const asks = [90, 20, 5].map((by) => stage.ask('counter:acct_0/a', { type: 'add', by }));
  const neighbour = stage.ask('counter:acct_0/b', { type: 'add', by: 7 });
  const [first, second, third] = await Promise.all(asks);
  assert.is(first?.ok, true);
  assert.is(second?.ok === false && second.failure.code, 'failed');
  assert.is(third?.ok === true && (third.body as { total: number }).total, 95);
  assert.is((await neighbour).ok, true);
  assert.equal(stage.recorded.lost, []);
  await stage.close();
});

it('the same state is written at its own chart version', async () => {
  const stage = await openStage({ kinds: [newer] });
  const answer = await stage.ask('counter:acct_0/a', { type: 'add', by: 200 });
  assert.is(answer.ok === true && (answer.body as { total: number }).total, 200);
  await stage.close();
});

test.run();
