import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shardOf } from '../../../../../actors/runtime/actor/address.ts';
import type { Answer } from '../../../../../actors/runtime/actor/answer.ts';
import type { ShardWrite } from '../../../../../actors/runtime/ports/store.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { deferred } from '../../../../support/deferred.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { inShard, openStage, SHARDS, turns } from '../stage.ts';

const it = bounded(test);
const add = { type: 'add', by: 1 };

/** Two parts; commits of the first are blocked until the test releases them. */
class PartedStore extends MemoryStore {
  readonly parts = 2;
  readonly unblocked = deferred();
  override async commit(writes: readonly ShardWrite[]) {
    if (writes.some(({ shard }) => shard % this.parts === 0)) await this.unblocked.promise;
    return super.commit(writes);
  }
}

it('a blocked part of the store delays no shard of another part, however many entries wait for it', async () => {
  const store = new PartedStore({ clock: systemClock, shards: SHARDS });
  const stage = await openStage({ store, limits: { commitEntriesMax: 2 } });
  const there = inShard('counter', 1);
  await stage.body(there, add);
  const slow: Promise<Answer>[] = [];
  for (let i = 0; i < 40; i++) {
    slow.push(stage.ask(inShard('counter', 2 * (i % 4), `s${i}-`), add));
    await turns(2);
  }
  const answers: Answer[] = [];
  for (let i = 0; i < 20; i++) void stage.ask(there, add).then((answer) => answers.push(answer));
  await turns(100);
  assert.is(answers.filter(({ ok }) => ok).length, 20);
  assert.is(shardOf(there, SHARDS) % 2, 1);
  store.unblocked.resolve();
  assert.ok(
    (await Promise.all(slow)).every(({ ok }) => ok),
    'and what waited is served',
  );
  await stage.close();
});

test.run();
