import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ShardWrite } from '../../../../../actors/runtime/ports/store.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { openStage, SHARDS } from '../stage.ts';

const it = bounded(test);
const R = 'register:a';

/** The writes of every commit, as the store receives them. */
class Recording extends MemoryStore {
  readonly commits: (readonly ShardWrite[])[] = [];
  override commit(writes: readonly ShardWrite[]): ReturnType<MemoryStore['commit']> {
    this.commits.push(writes);
    return super.commit(writes);
  }
}

it('an entry without rows takes no row of the entry stepped after it', async () => {
  const store = new Recording({ clock: systemClock, shards: SHARDS });
  const stage = await openStage({ store });
  try {
    await stage.body(R, { type: 'put', id: 'x', amount: 1 });
    await stage.body('counter:b', { type: 'add', by: 1 });
    const before = store.commits.length;
    // One turn, one batch: rows of one shard, a change without rows in another, rows of the first again.
    await Promise.all([
      stage.body(R, { type: 'close', id: 'x' }),
      stage.body('counter:b', { type: 'add', by: 1 }),
      stage.body(R, { type: 'put', id: 'y', amount: 2 }),
    ]);
    const writes = store.commits.slice(before).flat();
    const rows = writes.flatMap((write) => write.rowsPut.map((row) => `${row.address} ${row.id}`));
    assert.equal(rows, [`${R} x`, `${R} y`]);
    assert.is((await store.row({ address: R, collection: 'line', id: 'x' }))?.open, false);
  } finally {
    await stage.close();
  }
});

test.run();
