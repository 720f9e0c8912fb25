import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINT_WINDOW, rateWindowKind, windowAddress } from '../../../actors/rate-window/rate-window.ts';
import type { SliceGrant, Taken } from '../../../actors/rate-window/share.ts';
import { NAMES_MAX, type WindowTable } from '../../../actors/rate-window/table.ts';
import { bounded } from '../../support/bounded.ts';
import { House } from '../../support/model/house.ts';

const it = bounded(test, 5_000);
const START = 1_763_690_400_000;
const WINDOW = windowAddress('digest-1');

const take = (house: House, name = 'a', count = 1, limit = 3): Taken =>
  house.ask<Taken>(WINDOW, { type: 'window.take', name, count, limit, windowMs: 60_000 } as never);
const slice = (house: House, limit: number, nodes: number): SliceGrant =>
  house.ask<SliceGrant>(windowAddress(ENDPOINT_WINDOW), {
    type: 'window.slice',
    name: ENDPOINT_WINDOW,
    limit,
    windowMs: 60_000,
    nodes,
  } as never);
const giveBack = (house: House, count: number, windowStart: number) =>
  house.tell(windowAddress(ENDPOINT_WINDOW), {
    type: 'window.return',
    name: ENDPOINT_WINDOW,
    count,
    windowStart,
  } as never);

it('grants exactly its limit per window and starts again with the next window', () => {
  const house = new House([rateWindowKind], START + 10_000);
  assert.equal(take(house), { granted: true, remaining: 2, resetInMs: 50_000 });
  assert.equal(take(house, 'a', 3), { granted: false, remaining: 2, resetInMs: 50_000 });
  assert.ok(take(house, 'a', 2).granted);
  assert.not(take(house).granted);
  house.now = START + 59_999;
  assert.equal(take(house), { granted: false, remaining: 0, resetInMs: 1 });
  house.now = START + 60_000;
  assert.equal(take(house), { granted: true, remaining: 2, resetInMs: 60_000 });
});

it('keeps names apart, including hostile ones', () => {
  const house = new House([rateWindowKind], START);
  for (const name of ['a', 'b', '__proto__', 'constructor', 'toString']) {
    for (let i = 0; i < 3; i++) assert.ok(take(house, name).granted, name);
    assert.not(take(house, name).granted, name);
  }
});

it('never commits', () => {
  const house = new House([rateWindowKind], START);
  const event = { type: 'window.take', name: 'a', count: 1, limit: 1, windowMs: 60_000 };
  for (let i = 0; i < 3; i++) assert.is(house.tell(WINDOW, event).durable, false);
});

it('stays bounded for any number of names, and refuses earlier rather than later', () => {
  const house = new House([rateWindowKind], START);
  let granted = 0;
  for (let i = 0; i < 2_000; i++) if (take(house, `stranger-${i}`, 1, 120).granted) granted++;
  const table = house.context<WindowTable>(WINDOW);
  assert.is(Object.keys(table.counts).length, NAMES_MAX);
  assert.is(granted, NAMES_MAX + 120);
  assert.ok(take(house, 'stranger-0', 1, 120).granted, 'known names keep their count');
  assert.match(house.explain(WINDOW).join(' '), /table is full/);
  house.now += 60_000;
  take(house, 'later');
  assert.is(Object.keys(house.context<WindowTable>(WINDOW).counts).length, 1);
});

it('spreads all names over a fixed number of actors', () => {
  const addresses = new Set(Array.from({ length: 50_000 }, (_, i) => windowAddress(`name-${i}`)));
  assert.is(addresses.size, 1_024);
  assert.is(windowAddress(ENDPOINT_WINDOW), 'rate-window:endpoint');
});

it('slices shrink with the rest and never exceed the limit', () => {
  const house = new House([rateWindowKind], START);
  const first = slice(house, 6_000, 3);
  assert.equal(first, { granted: 250, windowStart: START, resetInMs: 60_000 });
  assert.is(slice(house, 6_000, 3).granted, 239);
  let total = 489;
  for (let i = 0; i < 10_000; i++) {
    const { granted } = slice(house, 6_000, 3);
    if (granted === 0) break;
    total += granted;
  }
  assert.is(total, 6_000);
  assert.is(slice(house, 6_000, 3).granted, 0);
  house.now += 60_000;
  assert.is(slice(house, 6_000, 3).granted, 250);
});

it('accepts the rest of a slice, but only into its own window', () => {
  const house = new House([rateWindowKind], START);
  const { granted, windowStart } = slice(house, 80, 1);
  assert.is(granted, 10);
  giveBack(house, 4, windowStart);
  giveBack(house, -50, windowStart);
  assert.is(house.context<WindowTable>(windowAddress(ENDPOINT_WINDOW)).counts.endpoint, 6);
  giveBack(house, 1_000, windowStart);
  assert.is(slice(house, 80, 1).granted, 10, 'never more than the whole');
  house.now += 60_000;
  slice(house, 80, 1);
  giveBack(house, 10, windowStart);
  assert.is(house.context<WindowTable>(windowAddress(ENDPOINT_WINDOW)).counts.endpoint, 10);
});

test.run();
