import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PriceOverride, Tariff } from '../../../actors/terms/tariff.ts';
import { pricesOf } from '../../../gateway/pricing/prices.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

/** A Saturday. */
const DAY = Date.UTC(2026, 10, 21);

function at(clock: number, day = DAY): number {
  return day + (Math.floor(clock / 100) * 60 + (clock % 100)) * 60_000;
}

function prompt(overrides: readonly PriceOverride[], instant: number, promptTokens = 10): string | undefined {
  const tariff: Tariff = { id: 't', prompt: '1', completion: '1', discount: 0, overrides };
  return pricesOf(tariff, { at: instant, promptTokens }).prompt;
}

it('a tier begins strictly above its length (rule K75)', () => {
  const tiers = [{ minPromptTokens: 100, prompt: '2' }];
  assert.equal(
    [99, 100, 101].map((length) => prompt(tiers, DAY, length)),
    ['1', '1', '2'],
  );
});

it('the last matching entry applies, key by key (rule C21)', () => {
  const overrides = [
    { minPromptTokens: 10, prompt: '2', completion: '3' },
    { minPromptTokens: 20, prompt: '4' },
  ];
  const tariff: Tariff = { id: 't', prompt: '1', request: '9', discount: 0, overrides };
  const { prompt, completion, request } = pricesOf(tariff, { at: DAY, promptTokens: 30 });
  assert.equal([prompt, completion, request], ['4', '3', '9']);
});

it('a window includes its first minute and excludes its end (rule C22)', () => {
  const window = [{ utcStart: 1630, utcEnd: 1745, prompt: '2' }];
  const instants = [at(1630) - 1, at(1630), at(1745) - 1, at(1745)];
  assert.equal(
    instants.map((instant) => prompt(window, instant)),
    ['1', '2', '2', '1'],
  );
});

it('a window that ends before it starts wraps midnight (rule C22)', () => {
  const window = [{ utcStart: 1630, utcEnd: 30, prompt: '2' }];
  const clocks = [0, 29, 30, 1629, 1630, 2359];
  assert.equal(
    clocks.map((clock) => prompt(window, at(clock))),
    ['2', '2', '1', '1', '2', '2'],
  );
});

it('a window without an end lasts until midnight, one without a start begins at midnight', () => {
  assert.equal(
    [1159, 1200, 2359].map((clock) => prompt([{ utcStart: 1200, prompt: '2' }], at(clock))),
    ['1', '2', '2'],
  );
  assert.equal(
    [0, 1159, 1200].map((clock) => prompt([{ utcEnd: 1200, prompt: '2' }], at(clock))),
    ['2', '2', '1'],
  );
});

it('the weekday is a separate condition on the instant (rule C22)', () => {
  const window: PriceOverride[] = [{ utcStart: 2200, utcEnd: 200, utcDays: ['saturday'], prompt: '2' }];
  const sunday = DAY + 86_400_000;
  assert.equal(
    [at(100), at(2300), at(100, sunday), at(2300, sunday)].map((instant) => prompt(window, instant)),
    ['2', '2', '1', '1'],
  );
  assert.is(prompt([{ utcDays: [], prompt: '2' }], DAY), '1');
});

it('all conditions of an entry must hold (rule C21)', () => {
  const both = [{ minPromptTokens: 100, utcStart: 1000, utcEnd: 1100, prompt: '2' }];
  assert.is(prompt(both, at(1030), 101), '2');
  assert.is(prompt(both, at(1030), 100), '1');
  assert.is(prompt(both, at(1200), 101), '1');
});

it('an active window overrides entries without one, whatever its position (rule C21)', () => {
  const overrides = [
    { utcStart: 1000, utcEnd: 1100, prompt: '0.5' },
    { minPromptTokens: 5, prompt: '3' },
  ];
  assert.is(prompt(overrides, at(1030)), '0.5');
  assert.is(prompt(overrides, at(1130)), '3');
});

test.run();
