/** Lines whose money other requests hold wait for it, and are refused only where it never suffices. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import type { Funded } from '../../support/cluster/start-cluster.ts';
import { openApi } from '../client.ts';
import { type Batch, type Client, chat, clientOf, linesOf, submission } from './client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 180_000);
/** One line may cost up to 0.0246 USD; it does cost less than 0.0001. */
const ENOUGH_FOR_ONE = '0.03';
const LINES = 20;

const { cluster } = await openApi(test, openCluster);

const lines = (count: number) => Array.from({ length: count }, () => chat({ tokens: 20, tps: 100 }));

async function creditsOf(client: Client): Promise<{ total_usage: number; held: number }> {
  return client.dataOf('/credits');
}

async function assertAllRun(client: Client, batch: Batch): Promise<void> {
  const { completed, failed } = batch.request_counts;
  assert.equal([batch.status, completed, failed], ['completed', LINES, 0], JSON.stringify(batch.results));
  const costs = linesOf(batch).map(({ response }) => {
    const { usage } = (response as NonNullable<typeof response>).body;
    return (usage as { cost: number }).cost;
  });
  const { total_usage: spent, held } = await creditsOf(client);
  assert.is(spent.toFixed(12), costs.reduce((sum, cost) => sum + cost, 0).toFixed(12));
  assert.is(held, 0);
}

it('every line runs on a balance that covers one at a time, and is charged exactly (rule B21)', async () => {
  const { key } = await cluster.fund(ENOUGH_FOR_ONE);
  const mine = clientOf(cluster, key);
  await assertAllRun(mine, await mine.end((await mine.submit(submission(lines(LINES)))).id));
});

it('every line runs within a key limit that covers one at a time', async () => {
  const { account }: Funded = await cluster.fund('10');
  const { key } = await cluster.issue(account, { limit: ENOUGH_FOR_ONE });
  const mine = clientOf(cluster, key);
  await assertAllRun(mine, await mine.end((await mine.submit(submission(lines(LINES)))).id));
});

it('a line that the whole balance would not cover is 402, also while others hold money (rule B22)', async () => {
  const { key } = await cluster.fund('0.01');
  const mine = clientOf(cluster, key);
  const long = chat({ ttft_ms: 1_500 }, { max_tokens: 50 });
  const dear = chat({}, { max_tokens: 10_000 });
  const batch = await mine.end((await mine.submit(submission([long, dear]))).id);
  const [first, second] = linesOf(batch);
  assert.is(first?.error, null);
  assert.equal([second?.error?.type, second?.error?.code], ['payment_required', 402]);
});

it('a batch whose lines wait for money is cancelled at once', async () => {
  const { key } = await cluster.fund(ENOUGH_FOR_ONE);
  const mine = clientOf(cluster, key);
  const slow = chat({ ttft_ms: 600_000 });
  const { id } = await mine.submit(submission(Array.from({ length: 4 }, () => slow)));
  while ((await creditsOf(mine)).held === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await mine.cancel(id);
  const batch = await mine.end(id);
  assert.equal([batch.status, batch.request_counts.failed], ['cancelled', 0]);
  assert.equal(new Set(linesOf(batch).map(({ error }) => error?.type)), new Set(['batch_cancelled']));
  while ((await creditsOf(mine)).held !== 0) await new Promise((resolve) => setTimeout(resolve, 20));
});

test.run();
