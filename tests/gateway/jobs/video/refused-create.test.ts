/** A create that certainly began no render. (rule V25) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../support/bounded.ts';
import { completedOf, failedOf, on, type RenderScene } from './scene.ts';

const it = bounded(test, 60_000);

for (const status of [401, 403, 404, 429, 503]) {
  it(`a create that is refused once with ${status} is repeated, and does not count against the endpoint (rule V25)`, () =>
    on(async (on) => {
      const { settlement } = completedOf(await on.run(on.input({ status, fail_first: 1, id: 'once' })));
      assert.equal([on.calls('create').length, settlement.cost], [2, '0.05']);
      assert.equal(
        settlement.attempts.map((attempt) => [attempt.outcome, attempt.status]),
        [
          ['failed', status],
          ['served', 200],
        ],
      );
      on.jobs.outcomes.flush();
      assert.equal(outcomesTold(on), ['success']);
    }));
}

it('a job that fails lists every call to a provider', () =>
  on(async (on) => {
    const { attempts } = failedOf(await on.run(on.input({ status: 503 })));
    assert.equal(
      attempts?.map((attempt) => [attempt.endpoint, attempt.outcome, attempt.status, attempt.reason]),
      Array(2).fill(['ep_1', 'failed', 503, 'overloaded']),
    );
  }));

it('a create that is refused twice moves on to the next candidate, and then counts (rule V25)', () =>
  on(async (on) => {
    const candidates = [on.candidate(), on.candidate({ endpoint: 'ep_2' })];
    completedOf(await on.run(on.input({ status: 503, fail_first: 2, id: 'twice' }, { candidates })));
    assert.is(on.calls('create').length, 3);
    on.jobs.outcomes.flush();
    assert.equal(outcomesTold(on), ['error', 'success']);
  }));

it('a repeated create waits as long as its provider asks, and moves on where that is too long', async () => {
  const waitedFor = async (retry_after: string, deadlineMs = 3_600_000): Promise<readonly [number, number]> => {
    let waited: readonly [number, number] = [0, 0];
    await on(async (on) => {
      const startedAt = performance.now();
      const deadlineAt = Date.now() + deadlineMs;
      const input = on.input({ status: 429, fail_first: 1, id: 'later', retry_after }, { deadlineAt });
      const result = await on.run(input);
      for (const { latencyMs } of result.settlement?.attempts ?? []) assert.ok(Number(latencyMs) < 400, 'of no call');
      waited = [on.calls('create').length, performance.now() - startedAt];
    });
    return waited;
  };
  const [creates, ms] = await waitedFor('0.4');
  assert.is(creates, 2);
  assert.ok(ms >= 400, `${ms} ms`);
  const dated = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 1_000).toUTCString();
  assert.is((await waitedFor(dated))[0], 2);
  assert.is((await waitedFor('61'))[0], 1);
  assert.is((await waitedFor('30', 20_000))[0], 1);
  assert.is((await waitedFor('soon'))[0], 2);
});

/** What the endpoints learn of each render. */
function outcomesTold(on: RenderScene): readonly string[] {
  return [...JSON.stringify(on.tells).matchAll(/"outcome":"(\w+)"/g)].map(([, outcome = '']) => outcome);
}

test.run();
