/** Node processes that are asked to end while they run activities: what runs ends, and its result reaches the new owner. */
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { LaunchedNodes } from '../support/cluster/launched-nodes.ts';

const it = bounded(test);
/** Longer than shards take to move, and than a node takes to notice that a peer drains. */
const WORK_MS = 3_000;
const ASK_MS = 10_000;
const ADDRESSES = Array.from({ length: 200 }, (_, i) => `sender:s${i}`);

it('SIGTERM: a running activity ends on the node that leaves, and the new owner takes its result', async () => {
  const nodes = await LaunchedNodes.start({ names: ['n1', 'n2'] });
  const ask = async (to: string, event: { readonly type: string }): Promise<unknown> => {
    const answer = await nodes.ask('n2', to, event, ASK_MS);
    if ('error' in answer) throw new Error(answer.error);
    return answer.body;
  };
  try {
    let owned = await nodes.owned('n1', ADDRESSES);
    for (; owned.length === 0; owned = await nodes.owned('n1', ADDRESSES)) await pause(50);
    const [actor = ''] = owned;
    const { pid } = nodes.node('n1');
    await ask(actor, { type: 'open' });
    await ask(actor, { type: 'work', id: 'w', input: WORK_MS } as never);
    while ((await nodes.operator('n2').inspect(actor))?.intents[0]?.begun !== true) await pause(10);
    const at = performance.now();
    nodes.signal('n1', 'SIGTERM');
    assert.is(await nodes.ended('n1'), 0);
    assert.ok(performance.now() - at > WORK_MS / 2, 'it waited for its activity');
    // One result, of the process that left, and no notice of a further attempt.
    assert.equal(await ask(actor, { type: 'open' }), [`${pid}`]);
  } finally {
    await nodes.close();
  }
});

test.run();
