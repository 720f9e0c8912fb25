import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINT_WINDOW, partName, rateWindowKind, windowAddress } from '../../../actors/rate-window/rate-window.ts';
import type { SliceGrant, Taken } from '../../../actors/rate-window/share.ts';
import { NAMES_MAX, type WindowTable } from '../../../actors/rate-window/table.ts';
import { bounded } from '../../support/bounded.ts';
import { PureActors } from '../../support/model/pure-actors.ts';

const it = bounded(test);
const START = 1_763_690_400_000;
const WINDOW = windowAddress('digest-1');

const take = (actors: PureActors, name = 'a', count = 1, limit = 3): Taken =>
  actors.ask<Taken>(WINDOW, { type: 'window.take', name, count, limit, windowMs: 60_000 } as never);
const slice = (actors: PureActors, limit: number, nodes: number): SliceGrant =>
  actors.ask<SliceGrant>(windowAddress(ENDPOINT_WINDOW), {
    type: 'window.slice',
    name: ENDPOINT_WINDOW,
    limit,
    windowMs: 60_000,
    nodes,
  } as never);
const giveBack = (actors: PureActors, count: number, windowStart: number) =>
  actors.tell(windowAddress(ENDPOINT_WINDOW), {
    type: 'window.return',
    name: ENDPOINT_WINDOW,
    count,
    windowStart,
  } as never);

it('grants exactly its limit per window and starts again with the next window (rule E13)', () => {
  const actors = new PureActors([rateWindowKind], START + 10_000);
  assert.equal(take(actors), { granted: true, remaining: 2, resetInMs: 50_000 });
  assert.equal(take(actors, 'a', 3), { granted: false, remaining: 2, resetInMs: 50_000 });
  assert.ok(take(actors, 'a', 2).granted);
  assert.not(take(actors).granted);
  actors.now = START + 59_999;
  assert.equal(take(actors), { granted: false, remaining: 0, resetInMs: 1 });
  actors.now = START + 60_000;
  assert.equal(take(actors), { granted: true, remaining: 2, resetInMs: 60_000 });
});

it('keeps names apart, including hostile ones', () => {
  const actors = new PureActors([rateWindowKind], START);
  for (const name of ['a', 'b', '__proto__', 'constructor', 'toString']) {
    for (let i = 0; i < 3; i++) assert.ok(take(actors, name).granted, name);
    assert.not(take(actors, name).granted, name);
  }
});

it('never commits', () => {
  const actors = new PureActors([rateWindowKind], START);
  const event = { type: 'window.take', name: 'a', count: 1, limit: 1, windowMs: 60_000 };
  for (let i = 0; i < 3; i++) assert.is(actors.tell(WINDOW, event).durable, false);
});

it('stays bounded for any number of names, and refuses earlier rather than later', () => {
  const actors = new PureActors([rateWindowKind], START);
  let granted = 0;
  for (let i = 0; i < 2_000; i++) if (take(actors, `stranger-${i}`, 1, 120).granted) granted++;
  const table = actors.context<WindowTable>(WINDOW);
  assert.is(Object.keys(table.counts).length, NAMES_MAX);
  assert.is(granted, NAMES_MAX + 120);
  assert.ok(take(actors, 'stranger-0', 1, 120).granted, 'known names keep their count');
  assert.match(actors.explain(WINDOW).join(' '), /table is full/);
  actors.now += 60_000;
  take(actors, 'later');
  assert.is(Object.keys(actors.context<WindowTable>(WINDOW).counts).length, 1);
});

it('spreads all names over a fixed number of actors', () => {
  const addresses = new Set(Array.from({ length: 50_000 }, (_, i) => windowAddress(`name-${i}`)));
  assert.is(addresses.size, 1_024);
  assert.is(windowAddress(ENDPOINT_WINDOW), 'rate-window:endpoint');
});

it('counts the parts of accounts apart from the names that anybody can create', () => {
  const addresses = new Set(Array.from({ length: 5_000 }, (_, i) => windowAddress(partName(`account:acct_${i}`))));
  assert.is(addresses.size, 64);
  for (const address of addresses) assert.match(address, /^rate-window:parts-/);
});

it('knows whether one asks alone, in this window and the one before', () => {
  const actors = new PureActors([rateWindowKind], START);
  const ask = (...askers: string[]): boolean | undefined =>
    actors.ask<SliceGrant>(windowAddress(ENDPOINT_WINDOW), {
      ...{ type: 'window.slice', name: ENDPOINT_WINDOW, limit: 6_000, windowMs: 60_000, nodes: 3 },
      askers,
    } as never).contended;
  const report = (askers: readonly string[], windowStart: number): void =>
    void actors.tell(windowAddress(ENDPOINT_WINDOW), {
      ...{ type: 'window.return', name: ENDPOINT_WINDOW, count: 0, windowStart, askers },
    } as never);
  assert.equal([ask('a'), ask('a'), ask()], [false, false, false]);
  report(['b', 'c', 'd'], START);
  assert.is(ask('a'), true);
  assert.is(actors.context<WindowTable>(windowAddress(ENDPOINT_WINDOW)).askers.length, 2);
  assert.match(actors.explain(windowAddress(ENDPOINT_WINDOW)).join(' '), /none may take more than its part/);
  actors.now += 60_000;
  assert.is(ask('a'), true, 'another asked in the window before');
  actors.now += 60_000;
  assert.is(ask('a'), false);
  report(['b'], START);
  assert.is(ask('a'), false, 'a report of an older window is ignored');
  actors.now += 60_000;
  assert.is(ask('b'), true, 'others in two windows in a row');
  actors.now += 120_000;
  assert.is(ask('c'), false, 'after a window without requests');
});

it('slices shrink with the rest and never exceed the limit', () => {
  const actors = new PureActors([rateWindowKind], START);
  const first = slice(actors, 6_000, 3);
  assert.equal(first, { granted: 250, windowStart: START, resetInMs: 60_000, contended: false });
  assert.is(slice(actors, 6_000, 3).granted, 239);
  let total = 489;
  for (let i = 0; i < 10_000; i++) {
    const { granted } = slice(actors, 6_000, 3);
    if (granted === 0) break;
    total += granted;
  }
  assert.is(total, 6_000);
  assert.is(slice(actors, 6_000, 3).granted, 0);
  actors.now += 60_000;
  assert.is(slice(actors, 6_000, 3).granted, 250);
});

it('accepts the rest of a slice, but only into its own window', () => {
  const actors = new PureActors([rateWindowKind], START);
  const { granted, windowStart } = slice(actors, 80, 1);
  assert.is(granted, 10);
  giveBack(actors, 4, windowStart);
  giveBack(actors, -50, windowStart);
  assert.is(actors.context<WindowTable>(windowAddress(ENDPOINT_WINDOW)).counts.endpoint, 6);
  giveBack(actors, 1_000, windowStart);
  assert.is(slice(actors, 80, 1).granted, 10, 'never more than the whole');
  actors.now += 60_000;
  slice(actors, 80, 1);
  giveBack(actors, 10, windowStart);
  assert.is(actors.context<WindowTable>(windowAddress(ENDPOINT_WINDOW)).counts.endpoint, 10);
});

test.run();
