import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Deaths } from '../../../../../actors/runtime/cluster/membership/deaths.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);

function witnesses(count: number): { clock: HandClock; store: MemoryStore; deaths: Deaths[] } {
  const clock = new HandClock();
  const store = new MemoryStore({ clock });
  const log = (): void => {};
  return { clock, store, deaths: Array.from({ length: count }, () => new Deaths({ store, clock, log })) };
}

it('a death without a recorded cause in time counts as killed', async () => {
  const { clock, deaths } = witnesses(1);
  assert.is(deaths[0]?.causeOf('x'), null);
  await clock.advance(1_499);
  assert.is(deaths[0]?.causeOf('x'), null);
  await clock.advance(1);
  assert.is(deaths[0]?.causeOf('x'), 'killed');
});

it('the recorded cause counts for every node', async () => {
  const { clock, deaths } = witnesses(2);
  const [saw, asked] = deaths as [Deaths, Deaths];
  assert.is(asked.causeOf('x'), null);
  await saw.record('x', 'crashed');
  await clock.advance(1_500);
  assert.is(asked.causeOf('x'), 'crashed');
  assert.is(saw.causeOf('x'), 'crashed');
});

it('the first recorded cause is final, also against a later correction', async () => {
  const { clock, deaths } = witnesses(2);
  const [early, late] = deaths as [Deaths, Deaths];
  early.causeOf('x');
  await clock.advance(1_500);
  await late.record('x', 'crashed');
  assert.is(late.causeOf('x'), 'killed');
});

it('no cause is decided while the store fails', async () => {
  const { clock, store, deaths } = witnesses(1);
  store.cut = true;
  deaths[0]?.causeOf('x');
  await clock.advance(2_000);
  assert.is(deaths[0]?.causeOf('x'), null);
  store.cut = false;
  await clock.advance(1_500);
  assert.is(deaths[0]?.causeOf('x'), 'killed');
});

test.run();
