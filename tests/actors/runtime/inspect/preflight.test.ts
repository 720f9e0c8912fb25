import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RegisteredKind } from '../../../../actors/runtime/actor/charts/register.ts';
import { register } from '../../../../actors/runtime/actor/charts/register.ts';
import { preflight } from '../../../../actors/runtime/inspect/preflight.ts';
import { systemClock } from '../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../support/bounded.ts';
import { DamagedStore } from '../../../support/damaged-store.ts';
import { counterKind } from '../../example-kinds/counter.ts';
import { tally, tallyTwo } from '../../example-kinds/tally.ts';
import { openStage, SHARDS } from '../durable/stage.ts';

const it = bounded(test);
const build = (...kinds: Parameters<typeof register>[0][]): ReadonlyMap<string, RegisteredKind> =>
  new Map(kinds.map((kind) => [kind.name, register(kind)]));

async function stored(): Promise<DamagedStore> {
  const store = new DamagedStore({ clock: systemClock, shards: SHARDS });
  const stage = await openStage({ store, kinds: [tally, counterKind] });
  for (let i = 0; i < 5; i++) await stage.body(`tally:t${i}`, { type: 'tally.add', by: 1 });
  await stage.body('counter:a', { type: 'add', by: 1 });
  await stage.body('counter:b', { type: 'add', by: 1 });
  await stage.body('counter:b', { type: 'finish' });
  await stage.close();
  return store;
}

it('passes when every stored state loads, with casters too', async () => {
  const store = await stored();
  assert.equal(await preflight(build(tally, counterKind), store), { tried: 3, actors: 7, unfit: [] });
  assert.equal((await preflight(build(tallyTwo, counterKind), store)).unfit, []);
});

it('names each stored state that this build cannot load, with its number of actors and an example', async () => {
  const store = await stored();
  const { upcast: _, downcast: __, ...castless } = tallyTwo;
  const found = await preflight(build(castless), store);
  assert.equal(
    found.unfit.map(({ kind, chart, value, count, example }) => [kind, chart, value, count, example]),
    [
      ['counter', 1, '"counting"', 1, 'counter:a'],
      ['counter', 1, '"finished"', 1, 'counter:b'],
      ['tally', 1, '"open"', 5, 'tally:t0'],
    ],
  );
  assert.match(found.unfit[0]?.why ?? '', /no kind called counter/);
  assert.match(found.unfit[2]?.why ?? '', /written by chart 1, this build loads from 2 on/);
});

it('reports a damaged example, and ignores one that has ended meanwhile', async () => {
  const store = await stored();
  store.flip('tally:t0');
  const found = await preflight(build(tally, counterKind), store);
  assert.match(found.unfit[0]?.why ?? '', /check sum/);
  store.mend();
  const gone = { states: () => store.states(), loadActor: async () => null };
  assert.equal((await preflight(build(tally, counterKind), gone)).unfit, []);
});

test.run();
