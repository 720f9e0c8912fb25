import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError } from '../../../../../actors/runtime/actor/answer.ts';
import { epochText } from '../../../../../actors/runtime/actor/cascade/sequence.ts';
import type { ClusterPort } from '../../../../../actors/runtime/durable/cluster-port.ts';
import type { ShardWrite } from '../../../../../actors/runtime/ports/store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { WIDE } from '../../../../support/wide.ts';
import { senderKind } from '../../../example-kinds/sender.ts';
import { inShard, openStage, SHARDS, type Stage, until } from '../stage.ts';

const it = bounded(test);
const A = inShard('sender', 0, 'a');
const B = inShard('sender', 1, 'b');

/** A store whose epochs are raised as a restore from a copy raises them. */
class RaisedStore extends MemoryStore {
  jump = 0;
  override commit(writes: readonly ShardWrite[]) {
    return super.commit(writes.map((write) => ({ ...write, epoch: write.epoch - this.jump })));
  }
}

async function raised(): Promise<{ stage: Stage; store: RaisedStore; take: (jump: number) => Promise<void> }> {
  const store = new RaisedStore({ clock: systemClock, shards: SHARDS });
  let stage: Stage;
  const clusterPort: ClusterPort = {
    random: systemRandom,
    activities: { work: { ...WIDE, run: () => new Promise(() => {}) } },
    send: async (to, event) => {
      const answer = await stage.ask(to, event);
      if (!answer.ok) throw new AskError(to, answer.failure);
      return answer.body;
    },
    missing: async () => [],
    abort: () => {},
    causeOf: () => null,
  };
  stage = await openStage({ kinds: [senderKind], store, clusterPort, adopt: false });
  const take = async (jump: number): Promise<void> => {
    for (let shard = 0; shard < SHARDS; shard++) stage.engine.drop(shard);
    store.jump = jump;
    for (const row of await store.claim(stage.incarnation, await store.shards())) {
      stage.engine.adopt(row.shard, row.epoch + jump);
    }
  };
  return { stage, store, take };
}

it('writes epochs as texts in the same ascending order', () => {
  const epochs = [0, 1, 35, 36, 1_000_000, 36 ** 6 - 1, 36 ** 6, 2 ** 32, 2 ** 33 + 7, Number.MAX_SAFE_INTEGER];
  const texts = epochs.map(epochText);
  assert.equal([...texts].sort(), texts);
  assert.is(new Set(texts).size, epochs.length);
  assert.is(epochText(5), '000005');
});

it('a message sent after restores from copies is no duplicate of one sent before', async () => {
  const { stage, take } = await raised();
  await take(36 ** 6 - 1_000_000);
  await stage.body(B, { type: 'open' });
  await stage.body(A, { type: 'open' });
  const note = (text: string) =>
    stage.body(A, { type: 'post', messages: [{ to: B, event: { type: 'note', note: text } }] });
  await note('before');
  await until(async () => ((await stage.body(B, { type: 'open' })) as string[]).length === 1);
  await take(36 ** 6 + 1_000_000);
  await note('after');
  await until(async () => (await stage.store.rows({ collection: '$outbox', limit: 10 })).length === 0);
  assert.equal(await stage.body(B, { type: 'open' }), ['"before"', '"after"']);
  await stage.close();
});

it('no two activity records of a shard have the same sort key, however high its epoch', async () => {
  const { stage, store, take } = await raised();
  await take(2 ** 32);
  for (const id of ['w1', 'w2', 'w3']) {
    await stage.body(A, { type: 'open' });
    await stage.body(A, { type: 'work', id });
  }
  const sorts = (await store.rows({ collection: '$activities', limit: 10 })).map(({ sort }) => sort);
  assert.is(new Set(sorts).size, 3, sorts.join(' '));
  assert.ok(sorts.every((sort) => Number.isSafeInteger(sort)));
  stage.engine.activities.abortAll('the test is over');
  await stage.close();
});

test.run();
