import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import type { Funded, TestCluster } from '../../support/cluster/start-cluster.ts';
import { openCluster } from './cluster.ts';
import { bodies, type Route } from './fuzz-bodies.ts';

/**
 * Random bodies against both routes: whatever a client sends, nothing breaks. `FUZZ_RUNS=N` makes it long, `FUZZ_SEED=N`
 * repeats one run; a failure prints seed and smallest body. (S1, S2, S4 and S5 of the invariants)
 */
const RUNS = Number(process.env.FUZZ_RUNS ?? 400);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const MS_PER_RUN = 100;
const it = bounded(test, 60_000 + RUNS * MS_PER_RUN);

let cluster: TestCluster;
let funded: Funded;

test.before(async () => {
  cluster = await openCluster();
  funded = await cluster.fund('1000000');
});
test.after(() => cluster.close());

/** What a client's own input may be answered with. 503: no endpoint serves what was asked for, and it says why. */
const ALLOWED = new Set([200, 400, 402, 404, 413, 422, 503]);

async function judge(route: Route, body: string): Promise<number> {
  const answer = await fetch(cluster.baseUrls[0] + route, {
    method: 'POST',
    headers: { authorization: `Bearer ${funded.key}`, 'content-type': 'application/json' },
    body,
  });
  // Grammar, envelope and id are judged by the watch of the cluster: a breach fails this read, or the end.
  const text = await answer.text();
  assert.ok(ALLOWED.has(answer.status), `${answer.status} ${text}`);
  if (answer.status === 200) return 200;
  const { error } = JSON.parse(text) as { error: { metadata: { error_type: string; rejections?: unknown[] } } };
  if (answer.status === 503) assert.is(error.metadata.error_type, 'provider_overloaded', text);
  return answer.status;
}

for (const route of ['/chat/completions', '/completions'] as const)
  it(`${route} answers any body with its reply or its refusal, and with nothing else`, async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(bodies(route), async (body) => {
        const status = await judge(route, body);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    // A fuzz that is only ever refused has looked at nothing.
    assert.ok((seen.get(200) ?? 0) > RUNS / 100, JSON.stringify([...seen]));
    assert.ok((seen.get(400) ?? 0) > RUNS / 100, JSON.stringify([...seen]));
    if (process.env.FUZZ_RUNS) process.stdout.write(`${route} ${JSON.stringify([...seen])}\n`);
  });

test.run();
