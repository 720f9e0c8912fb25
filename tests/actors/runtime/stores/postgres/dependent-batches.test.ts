import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ShardVerdict } from '../../../../../actors/runtime/ports/store.ts';
import { actor, row, write } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';
import { withStores } from './with-stores.ts';

const it = bounded(test);
const SHARDS_OWNED = [0, 1, 2, 3, 4, 5, 6, 7];
const BATCHES = 300;

it('300 batches, each dependent on the previous one, are sent over all connections without waiting and none is refused', () =>
  withStores(async ({ store, fence }) => {
    const batches: Promise<readonly ShardVerdict[]>[] = [];
    for (let version = 1; version <= BATCHES; version++) {
      const writes = SHARDS_OWNED.map((shard) => {
        const record = actor(`account:s${shard}`, version, { shard });
        const put = row(`r${version}`, { address: record.address });
        return write(fence, { shard, actors: [{ record, expected: version - 1 }], rowsPut: [put] });
      });
      batches.push(store.commit(writes));
    }
    const verdicts = (await Promise.all(batches)).flat();
    assert.is(verdicts.length, BATCHES * SHARDS_OWNED.length);
    assert.equal(
      verdicts.filter(({ committed }) => !committed),
      [],
    );
    for (const shard of SHARDS_OWNED) {
      assert.is((await store.loadActor(`account:s${shard}`))?.actor.version, BATCHES);
    }
  }, SHARDS_OWNED));

it('verdicts are in the order of the writes, whatever connection each used', () =>
  withStores(async ({ store, fence }) => {
    const stale = { ...fence, epoch: fence.epoch + 1 };
    const writes = [7, 0, 3, 2, 5].map((shard) =>
      write(shard % 3 === 0 ? stale : fence, {
        shard,
        actors: [{ record: actor(`account:s${shard}`, 1, { shard }), expected: 0 }],
      }),
    );
    assert.equal(await store.commit(writes), [
      { shard: 7, committed: true },
      { shard: 0, committed: false, reason: 'fence' },
      { shard: 3, committed: false, reason: 'fence' },
      { shard: 2, committed: true },
      { shard: 5, committed: true },
    ]);
  }, SHARDS_OWNED));

it('a second write of a shard in one commit is judged after the first', () =>
  withStores(async ({ store, fence }) => {
    const part = (version: number) =>
      write(fence, { actors: [{ record: actor('account:a', version), expected: version - 1 }] });
    const verdicts = await store.commit([part(1), part(2), part(4)]);
    assert.equal(
      verdicts.map(({ committed }) => committed),
      [true, true, false],
    );
    assert.is((await store.loadActor('account:a'))?.actor.version, 2);
  }, SHARDS_OWNED));

test.run();
