import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rateWindowKind } from '../../../../actors/rate-window/rate-window.ts';
import type { Cluster } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { AccountedBudgets } from '../../../../gateway/edge/auth/accounted-budgets.ts';
import { bounded } from '../../../support/bounded.ts';
import { PureActors } from '../../../support/model/pure-actors.ts';

const it = bounded(test, 30_000);
const START = 1_763_690_400_000;

/** Budgets of several nodes over the real actor, which answers only once it is released. */
function nodes(count: number) {
  const actors = new PureActors([rateWindowKind], START);
  let release = (): void => {};
  const reachable = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asks = 0;
  const cluster = {
    now: () => actors.now,
    ask: async (to: string, event: never) => {
      asks++;
      await reachable;
      return actors.ask(to, event);
    },
  } as unknown as Cluster;
  const budgets = Array.from(
    { length: count },
    () => new AccountedBudgets({ cluster, rates: config.rates, askMs: 1_000, nodes: count }),
  );
  return { budgets, release, asks: () => asks };
}

it('while its counting actor is out of reach, an address occupies at most its budget on each node', async () => {
  const { budgets, release, asks } = nodes(2);
  const [one, other] = budgets as [AccountedBudgets, AccountedBudgets];
  const counts = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? one : other).countAddress('v4-10.0.0.1'));
  assert.is(asks(), 240);
  const elsewhere = one.countAddress('v4-10.0.0.2');
  release();
  const refusals = await Promise.all(counts);
  assert.is(refusals.filter((refusal) => refusal === null).length, 120, 'exactly the budget, over both nodes');
  const [first] = refusals.filter((refusal) => refusal !== null);
  assert.is(first?.status, 429);
  assert.is(await elsewhere, null);
  const busy = refusals.filter((refusal) => refusal?.window?.resetAt === START + 1_000);
  assert.is(busy.length, 760, 'the rest may ask again after a second');
});

test.run();
