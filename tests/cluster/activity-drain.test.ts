/** Node processes that are asked to end while they run activities: what runs ends, and its result reaches the new owner. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isAlive } from '../../gateway/operator/launcher/process-state.ts';
import { bounded } from '../support/bounded.ts';
import { LaunchedNodes } from '../support/cluster/launched-nodes.ts';

const it = bounded(test, 120_000);
const ASK_MS = 30_000;
const LOOK_MS = 50;
const SAME_LOOKS = 10;
const ADDRESSES = Array.from({ length: 200 }, (_, i) => `sender:s${i}`);

it('SIGTERM: a running activity ends on the node that leaves, and the new owner takes its result', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-drain-'));
  const finished = join(folder, 'finished');
  const nodes = await LaunchedNodes.start({ names: ['n1', 'n2'], activityGraceMs: 60_000 });
  const ask = async (to: string, event: { readonly type: string }): Promise<unknown> => {
    const answer = await nodes.ask('n2', to, event, ASK_MS);
    if ('error' in answer) throw new Error(answer.error);
    return answer.body;
  };
  const owned = async (name: string, addresses: readonly string[]): Promise<string> => {
    for (;;) {
      const [actor] = await nodes.owned(name, addresses);
      if (actor !== undefined) return actor;
      await pause(LOOK_MS);
    }
  };
  /** The second node has received its shards: none of the first one moves any more until it drains. */
  const settled = async (): Promise<void> => {
    for (let before = '', looks = 0; looks < SAME_LOOKS; await pause(LOOK_MS)) {
      const [kept, given] = [await nodes.owned('n1', ADDRESSES), await nodes.owned('n2', ADDRESSES)];
      looks = given.length > 0 && kept.join() === before ? looks + 1 : 0;
      before = kept.join();
    }
  };
  try {
    await settled();
    const actor = await owned('n1', ADDRESSES);
    const { pid } = nodes.node('n1');
    await ask(actor, { type: 'open' });
    await ask(actor, { type: 'work', id: 'w', input: finished, inMs: 100_000 } as never);
    // The record of its beginning comes first, and a drain at that moment leaves the attempt to the next owner.
    while (!existsSync(`${finished}.running`)) await pause(LOOK_MS);
    nodes.signal('n1', 'SIGTERM');
    await owned('n2', [actor]);
    assert.ok(isAlive(pid), 'it waits for its activity');
    assert.equal(await ask(actor, { type: 'open' }), []);
    writeFileSync(finished, '');
    assert.is(await nodes.ended('n1'), 0);
    // One result, of the process that left, and no notice of a further attempt.
    assert.equal(await ask(actor, { type: 'open' }), [`${pid}`]);
  } finally {
    await nodes.close();
    rmSync(folder, { recursive: true });
  }
});

test.run();
