import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { openApi } from './client.ts';

const it = bounded(test);

const { cluster, send } = await openApi(test, () =>
  startCluster({ workspace: { zeroRetention: true }, simulators: ['sim-a', 'sim-b', 'sim-c'] }),
);

it('a workspace that requires zero retention uses only endpoints whose claim was approved, for any request (rule K21)', async () => {
  const { key } = await cluster.fund('10');
  const ask = async (body: object): Promise<{ status: number; message: string }> => {
    const answer = await send('/chat/completions', {
      key,
      body: { messages: [{ role: 'user', content: 'hello' }], max_tokens: 20, ...body },
    });
    const { error } = (await answer.json()) as { error?: { message: string } };
    return { status: answer.status, message: error?.message ?? '' };
  };
  for (const provider of [undefined, { zdr: false }]) {
    const { status, message } = await ask({ model: 'sim/fast', ...(provider ? { provider } : {}) });
    assert.is(status, 503);
    assert.match(message, /workspace\.zdr/);
  }
  assert.ok(cluster.simulators.every(({ calls }) => calls.length === 0));
});

it('the list of one key omits models that no endpoint may serve in its workspace (rule C11)', async () => {
  const { key } = await cluster.fund('1');
  const ids = async (path: string): Promise<readonly string[]> => {
    const answer = await send(path, { key });
    return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  const [all, mine, vetted] = [await ids('/models'), await ids('/models/user'), await ids('/models?zdr=true')];
  assert.ok(all.includes('sim/fast') && !mine.includes('sim/fast') && mine.includes('sim/structured'));
  assert.equal(mine, vetted);
});

test.run();
