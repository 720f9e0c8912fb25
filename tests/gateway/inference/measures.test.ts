/** What a node measures of a turn: each way to end one ends its hold once, and each call of a provider is counted. */
import { Registry } from 'prom-client';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { RequestMetrics } from '../../../gateway/operator/metrics/request-metrics.ts';
import { bounded } from '../../support/bounded.ts';
import { type Answers, failing, generous, stage } from '../stage.ts';
import { openScene, sim } from './scene.ts';

const it = bounded(test);
const scene = await openScene();
test.after(() => scene.close());

/** Runs one turn, and resolves with the metrics while its hold is open and after its end. */
async function measured(directive: object, answers: Answers = generous): Promise<{ during: string; after: string }> {
  const registry = new Registry();
  const on = stage({ measures: new RequestMetrics(registry), answers, upstream: { settleRetriesMax: 2 } });
  const running = await runTurn(on.services, on.request(sim(directive), scene.both)).catch(() => null);
  const during = await registry.metrics();
  if (running) await endTurn(on.services, running);
  await on.end();
  return { during, after: await registry.metrics() };
}

it('a settled, a refused and an unanswered charge end the hold once', async () => {
  const fails = (code: 'refuse' | 'throw'): Answers => {
    return (sent) => {
      if (!sent.event.settlement) return generous(sent);
      if (code === 'throw') failing({ code: 'expired' });
      return { refusal: { status: 404, type: 'not_found', message: 'no such hold' } };
    };
  };
  for (const answers of [generous, fails('refuse'), fails('throw')]) {
    const { during, after } = await measured({}, answers);
    assert.match(during, /\ntroupe_holds_open 1\n/);
    assert.match(after, /\ntroupe_holds_open 0\n/);
  }
});

it('a turn without a delivery releases its hold, and its failed calls are counted by provider', async () => {
  const { after } = await measured({ status: 500 });
  assert.match(after, /\ntroupe_holds_open 0\n/);
  // Each endpoint is called once more before its failure counts.
  for (const provider of ['A', 'B']) {
    assert.ok(
      after.includes(`\ntroupe_attempts_total{model="sim/fast",provider="${provider}",outcome="failed"} 2\n`),
      after,
    );
  }
  assert.not.match(after, /troupe_usd_total\{/);
});

test.run();
