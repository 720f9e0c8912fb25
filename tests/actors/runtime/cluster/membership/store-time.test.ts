import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreTime } from '../../../../../actors/runtime/cluster/membership/store-time.ts';
import type { Clock } from '../../../../../actors/runtime/ports/clock.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);

/** A node whose own wall clock is 30 s fast; the store's is `monotonic + 1,000,000`. */
function open() {
  const at = { ms: 1_000 };
  const clock = { monotonic: () => at.ms, now: () => at.ms + 1_030_000, after: () => () => {} } as unknown as Clock;
  const time = new StoreTime(clock);
  const ask = (waysMs: { readonly there: number; readonly back: number }): void => {
    const sentAt = at.ms;
    const answered = sentAt + waysMs.there + 1_000_000;
    at.ms += waysMs.there + waysMs.back;
    time.learn(answered, sentAt, at.ms);
  };
  const off = (): number => time.now() - (at.ms + 1_000_000);
  return { at, ask, off };
}

it('takes the time from the store, and not from the clock of its host', () => {
  const { ask, off } = open();
  assert.is(off(), 30_000);
  ask({ there: 2, back: 2 });
  assert.ok(Math.abs(off()) <= 4, `${off()} ms off`);
});

it('a delayed answer, in either direction, does not shift the time', () => {
  const { ask, off, at } = open();
  ask({ there: 1, back: 1 });
  for (const ways of [
    { there: 15_000, back: 0 },
    { there: 0, back: 15_000 },
    { there: 400, back: 3_000 },
  ]) {
    at.ms += 500;
    ask(ways);
    assert.ok(Math.abs(off()) <= 2, `${off()} ms off after ${JSON.stringify(ways)}`);
  }
});

it('follows a store whose clock was set', () => {
  const at = { ms: 0 };
  const clock = { monotonic: () => at.ms, now: () => 50_000, after: () => () => {} } as unknown as Clock;
  const time = new StoreTime(clock);
  time.learn(50_000, 0, 2);
  time.learn(80_000, 0, 2);
  assert.ok(Math.abs(time.now() - 80_000) <= 2);
  time.learn(20_000, 0, 2);
  assert.ok(Math.abs(time.now() - 20_000) <= 2);
});

test.run();
