import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster, type TestCluster } from '../support/cluster/start-cluster.ts';

const it = bounded(test);
const REQUESTS_MAX = 8;

let cluster: TestCluster;

test.before(async () => {
  cluster = await startCluster({ edge: { requestsMax: REQUESTS_MAX } });
});
test.after(() => cluster.close());

it('sheds requests beyond the bound before money is held, and advises a retry', async () => {
  const { key } = await cluster.fund('100');
  const body = JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: '@sim {"ttft_ms":600}' }] });
  const answers = await Promise.all(
    Array.from({ length: 30 }, () =>
      fetch(`${cluster.baseUrls[0]}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
      }),
    ),
  );
  const shed = answers.filter(({ status }) => status === 503);
  assert.is(answers.filter(({ status }) => status === 200).length, REQUESTS_MAX);
  assert.is(shed.length, 30 - REQUESTS_MAX);
  for (const answer of shed) {
    assert.is(answer.headers.get('x-should-retry'), 'true');
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(answer.headers.get('x-generation-id') ?? '', /^gen-/);
    assert.is(((await answer.json()) as { error: { code: number } }).error.code, 503);
  }
  const calls = cluster.simulators.flatMap((simulator) => simulator.calls);
  assert.is(calls.length, REQUESTS_MAX);
});

test.run();
