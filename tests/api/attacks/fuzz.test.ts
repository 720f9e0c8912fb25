import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';
import { bodies, type Route } from './fuzz-bodies.ts';

/**
 * Sends random bodies to each route: every body is answered properly. `FUZZ_RUNS=N` sets the length, `FUZZ_SEED=N`
 * repeats a run; a failure prints the seed and the smallest body. (rule E1, rule E11)
 */
const RUNS = Number(process.env.FUZZ_RUNS ?? 400);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const MS_PER_RUN = 100;
const it = bounded(test, 60_000 + RUNS * MS_PER_RUN);

const { ask } = await openApi(test, openCluster, '1000000');

/**
 * The statuses that client input may cause. 503: no endpoint can serve the request, and the answer gives the reasons.
 */
const ALLOWED = new Set([200, 400, 402, 404, 413, 422, 503]);

async function judge(route: Route, body: string): Promise<number> {
  // The watch of the cluster judges grammar, envelope and id: a violation fails this read, or the end of the file.
  const answer = await ask(route, { body });
  assert.ok(ALLOWED.has(answer.status), `${answer.status} ${answer.text}`);
  if (answer.status === 200) return 200;
  // A refused stream of the messages dialect has an envelope of its own.
  const { text } = answer;
  const { error } = JSON.parse(text) as { error: { error_type?: string; metadata?: { error_type: string } } };
  if (answer.status === 503) assert.is(error.error_type ?? error.metadata?.error_type, 'provider_overloaded', text);
  return answer.status;
}

for (const route of ['/chat/completions', '/completions', '/messages'] as const)
  it(`${route} answers any body with its reply or a refusal only (rule E11)`, async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(bodies(route), async (body) => {
        const status = await judge(route, body);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    // A fuzz whose bodies are all refused has tested too little.
    assert.ok((seen.get(200) ?? 0) > RUNS / 100, JSON.stringify([...seen]));
    assert.ok((seen.get(400) ?? 0) > RUNS / 100, JSON.stringify([...seen]));
    if (process.env.FUZZ_RUNS) process.stdout.write(`${route} ${JSON.stringify([...seen])}\n`);
  });

test.run();
