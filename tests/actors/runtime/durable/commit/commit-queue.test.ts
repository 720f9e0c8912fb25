import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../../../../../actors/runtime/actor/answer.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { openStage, SHARDS, turns } from '../stage.ts';

const it = bounded(test);
const COUNTERS = 100;

/** A store that records each commit in `seen` when it receives it. */
function noting(seen: string[]): MemoryStore {
  return new (class extends MemoryStore {
    override commit(...args: Parameters<MemoryStore['commit']>): ReturnType<MemoryStore['commit']> {
      seen.push('commit');
      return super.commit(...args);
    }
  })({ clock: systemClock, shards: SHARDS });
}

async function behindOne(waiting: number): Promise<{ readonly seen: readonly string[]; readonly totals: number[] }> {
  const seen: string[] = [];
  const store = noting(seen);
  const stage = await openStage({ store });
  const addresses = Array.from({ length: COUNTERS }, (_, i) => `counter:c${i}`);
  for (const address of addresses) await stage.body(address, { type: 'add', by: 1 });
  seen.length = 0;
  const resume = store.pauseCommits();
  const first = stage.ask('counter:c0', { type: 'add', by: 1 }).then(() => seen.push('answer'));
  await turns(5);
  const others = addresses.slice(0, waiting).map((address) => stage.body(address, { type: 'add', by: 1 }));
  await turns(5);
  resume();
  await first;
  await Promise.all(others);
  const totals = await Promise.all(
    addresses.map(async (address) => ((await stage.body(address, { type: 'read' })) as { total: number }).total),
  );
  await stage.close();
  return { seen, totals };
}

for (const waiting of [1, COUNTERS]) {
  it(`submits ${waiting} waiting before it releases the answers of the last batch`, async () => {
    const { seen, totals } = await behindOne(waiting);
    assert.equal(seen, ['commit', 'commit', 'answer']);
    assert.equal(totals, [3, ...Array.from({ length: COUNTERS - 1 }, (_, i) => (i + 1 < waiting ? 2 : 1))]);
  });
}

it('commits entries of one turn in one batch when the writer is idle', async () => {
  const seen: string[] = [];
  const stage = await openStage({ store: noting(seen) });
  const addresses = ['counter:c0', 'counter:c1', 'counter:c2'];
  for (const address of addresses) await stage.body(address, { type: 'add', by: 1 });
  seen.length = 0;
  await Promise.all(addresses.map((address) => stage.body(address, { type: 'add', by: 1 })));
  assert.equal(seen, ['commit']);
  await stage.close();
});

it('refuses only the shard of such a batch whose state is not valid JSON', async () => {
  const store = noting([]);
  const stage = await openStage({ store });
  const addresses = Array.from({ length: COUNTERS }, (_, i) => `counter:c${i}`);
  for (const address of addresses) await stage.body(address, { type: 'add', by: 1 });
  const resume = store.pauseCommits();
  const first = stage.body('counter:c0', { type: 'add', by: 1 });
  await turns(5);
  const shardOf = async (address: string) => (await store.loadActor(address))?.actor.shard;
  const others: Promise<Answer>[] = addresses.map((address) => stage.ask(address, { type: 'add', by: 1 }));
  others.push(stage.ask('counter:c7', { type: 'break' }));
  await turns(5);
  resume();
  await first;
  const answers = await Promise.all(others);
  const broken = await shardOf('counter:c7');
  for (const [i, answer] of answers.entries()) {
    const shard = await shardOf(addresses[i] ?? 'counter:c7');
    assert.is(answer.ok, shard !== broken, `counter ${i}`);
  }
  assert.ok((await stage.body('counter:c7', { type: 'add', by: 1 })) !== undefined);
  await stage.close();
});

test.run();
