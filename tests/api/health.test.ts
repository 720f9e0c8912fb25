/** An operator sees the health of endpoints as it is now, and its changes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { openApi } from './client.ts';

const it = bounded(test);
const { cluster, send } = await openApi(test, () => startCluster({}));

const FAILURES = 12;

it('`ps` counts endpoints by their present health, and `watch` shows the change', async () => {
  const [node] = cluster.nodes;
  assert.ok(node);
  const { operator } = node.cluster;
  const changes: string[] = [];
  const stop = operator.watch('endpoint:*', ({ from, to }) => changes.push(`${from} -> ${to}`));
  const funded = await cluster.fund('10');
  for (let n = 0; n < FAILURES; n++) {
    const answer = await send('/chat/completions', {
      key: funded.key,
      body: { model: 'sim/small', messages: [{ role: 'user', content: '@sim {"status":500}' }] },
    });
    await answer.text();
  }
  const counts = async (): Promise<Record<string, number>> => {
    const { actorCounts } = await operator.ps();
    return Object.fromEntries(
      actorCounts.filter(({ kind }) => kind === 'endpoint').map((row) => [row.state, row.count]),
    );
  };
  const before = Object.values(await counts()).reduce((sum, count) => sum + count, 0);
  while ((await counts()).down !== 2) await new Promise((resolve) => setTimeout(resolve, 50));
  while (changes.filter((change) => change.endsWith('-> down')).length < 2)
    await new Promise((resolve) => setTimeout(resolve, 50));
  stop();
  assert.is(changes.filter((change) => change.endsWith('-> down')).length, 2);
  assert.is(
    Object.values(await counts()).reduce((sum, count) => sum + count, 0),
    before,
  );
});

test.run();
