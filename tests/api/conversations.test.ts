/** Rule 1 over three nodes: a conversation stays with the endpoint that served it, whichever node its requests reach. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointId } from '../../actors/terms/ids.ts';
import { Affinity } from '../../gateway/routing/affinity.ts';
import { bounded } from '../support/bounded.ts';
import { UNLIMITED } from '../support/cluster/shared-cluster.ts';
import { startCluster, type TestCluster } from '../support/cluster/start-cluster.ts';
import { limit } from '../support/pace.ts';
import { openApi } from './client.ts';

const it = bounded(test);
const SLUGS: Readonly<Record<string, string>> = { 'Sim A': 'sim-a', 'Sim B': 'sim-b' };
const KNOWN_WITHIN_MS = 30_000;

const { cluster, send } = await openApi(test, () => startCluster({ nodes: 3, rates: UNLIMITED }));
let account: string;
let key: string;

test.before(async () => {
  ({ account, key } = await cluster.fund('10'));
});

/** One turn on a connection of its own at this node; returns the display name of the provider that served it. */
async function turn(node: number, conversation: string, directive: object = {}, more: object = {}): Promise<string> {
  const answer = await send('/chat/completions', {
    key,
    body: {
      model: 'sim/fast',
      messages: [{ role: 'user', content: `@sim ${JSON.stringify({ tokens: 2, ...directive })}` }],
      max_tokens: 20,
      session_id: conversation,
      ...more,
    },
    headers: { connection: 'close' },
    node,
  });
  const body = (await answer.json()) as { provider?: string };
  assert.is(answer.status, 200, JSON.stringify(body));
  return body.provider as string;
}

/** Resolves when every node knows that this provider served the conversation last. */
async function known(conversation: string, provider: string): Promise<void> {
  const expected = endpointId(SLUGS[provider] as string, 'sim/fast');
  const lastAt = ({ cluster: { board } }: TestCluster['nodes'][number]) =>
    new Affinity(board).recall(account, conversation)?.lastOf('sim/fast');
  const leftMs = limit(KNOWN_WITHIN_MS);
  while (!cluster.nodes.every((node) => lastAt(node) === expected)) {
    assert.ok(leftMs() > 0, `every node knows that ${provider} served ${conversation}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

it('a conversation has one endpoint over all nodes, and conversations share the endpoints (rule I126)', async () => {
  const used = new Set<string>();
  for (let n = 0; n < 12; n++) {
    const served = new Set<string>();
    for (let node = n; node < n + 4; node++) served.add(await turn(node, `steady-${n}`));
    assert.is(served.size, 1, `conversation ${n} was served by ${[...served]}`);
    used.add([...served][0] as string);
  }
  assert.is(used.size, 2);
});

it('after a fail-over it stays with the endpoint that served, on every node, and after another fail-over again (rule I126)', async () => {
  for (const conversation of ['one', 'two', 'three']) {
    let served = await turn(0, conversation);
    for (const node of [1, 2]) {
      const next = await turn(node, conversation, { only_on: SLUGS[served], status: 500 });
      assert.is.not(next, served);
      served = next;
      await known(conversation, served);
      for (let other = 0; other < 6; other++) assert.is(await turn(other, conversation), served);
    }
  }
});

it('a turn that only one endpoint may serve moves its conversation for the turns after it', async () => {
  const served = await turn(0, 'pinned');
  const other = Object.keys(SLUGS).find((name) => name !== served) as string;
  assert.is(await turn(1, 'pinned', {}, { provider: { only: [SLUGS[other]] } }), other);
  await known('pinned', other);
  for (let node = 0; node < 6; node++) assert.is(await turn(node, 'pinned'), other);
  assert.is(await turn(2, 'pinned', {}, { model: 'sim/slow' }), await turn(1, 'pinned', {}, { model: 'sim/slow' }));
  for (let node = 0; node < 3; node++) assert.is(await turn(node, 'pinned'), other, 'each model keeps its endpoint');
});

test.run();
