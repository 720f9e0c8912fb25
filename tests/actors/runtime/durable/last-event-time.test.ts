/** The time of an actor's newest event after a load: event times never go backward, even if the log is damaged. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../support/bounded.ts';
import { DamagedStore } from '../../../support/damaged-store.ts';
import { HandClock } from './hand-clock.ts';
import { openStage, SHARDS, type Stage } from './stage.ts';

const it = bounded(test);
const A = 'counter:acct_1/a';
const add = { type: 'add', by: 1 };
const WRITTEN_AT = 1_000_000;

/** A store with one actor that was stepped twice at `WRITTEN_AT`. */
async function written(): Promise<DamagedStore> {
  const clock = new HandClock(WRITTEN_AT);
  const store = new DamagedStore({ clock, shards: SHARDS });
  const stage = await openStage({ store, clock });
  for (let i = 0; i < 2; i++) await stage.body(A, add);
  await stage.close();
  return store;
}

const loadedAt = (store: DamagedStore, now: number): Promise<Stage> => openStage({ store, clock: new HandClock(now) });

/** The event time of one more step. */
async function nextEventAt(stage: Stage): Promise<number> {
  const { total, lastAt } = (await stage.body(A, add)) as { readonly total: number; readonly lastAt: number };
  assert.is(total, 3);
  return lastAt;
}

it('is at least that of the newest stored event, although the clock stepped back', async () => {
  const stage = await loadedAt(await written(), WRITTEN_AT - 5_000);
  assert.is(await nextEventAt(stage), WRITTEN_AT);
  await stage.close();
});

it('is stored in the snapshot: damage to the transition log does not change it', async () => {
  for (const transitions of ['', '[]', '[[2,9999999999999,"add","counting","counting"]]', '[null]']) {
    for (const now of [WRITTEN_AT - 5_000, WRITTEN_AT + 5_000]) {
      const store = await written();
      store.actors.set(A, (loaded) => ({ ...loaded, actor: { ...loaded.actor, transitions } }));
      const stage = await loadedAt(store, now);
      assert.is(await nextEventAt(stage), Math.max(now, WRITTEN_AT), transitions);
      await stage.close();
    }
  }
});

it('comes from the transition log for a repaired snapshot without a time, which the next step rewrites', async () => {
  const store = await written();
  store.actors.set(A, (loaded) => {
    const { value, context, status } = JSON.parse(loaded.actor.snapshot);
    return { ...loaded, actor: { ...loaded.actor, snapshot: JSON.stringify({ value, context, status }) } };
  });
  const stage = await loadedAt(store, WRITTEN_AT - 5_000);
  assert.is(await nextEventAt(stage), WRITTEN_AT);
  await stage.close();
  store.mend();
  const { snapshot = '' } = (await store.loadActor(A))?.actor ?? {};
  assert.match(snapshot, /^\{"value":.*,"at":1000000,"sum":"[0-9a-f]{8}"\}$/);
});

test.run();
