import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChartRange } from '../../../../actors/runtime/actor/charts/chart-range.ts';
import { levelOf, misfit, unloadable } from '../../../../actors/runtime/cluster/chart-levels.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const range = (loads: number, writes: number, version: number): ChartRange => ({ loads, writes, version });
const v1 = range(1, 1, 1);
const v2 = range(1, 1, 2);
const v2Only = range(2, 2, 2);
const v3 = range(2, 2, 3);

const LEVELS: readonly (readonly [string, ChartRange, readonly ChartRange[], number, boolean, number])[] = [
  ['alone, it writes its own', v2, [], 1, true, 2],
  ['before it has seen anybody, it stays where it begins', v2, [], 1, false, 1],
  ['beside an old one it writes what that loads', v2, [v1, v2], 2, true, 1],
  ['the old one itself writes its own', v1, [v2, v2], 1, true, 1],
  ['when the last old one has left it rises', v2, [v2, v2], 1, true, 2],
  ['it does not rise while one has not told', v2, [v2], 1, false, 1],
  ['it falls at once, also while one has not told', v2, [v1], 2, false, 1],
  ['two builds on', v3, [v2, v3], 3, true, 2],
  ['never below what it can write', v3, [v1], 3, true, 2],
];

for (const [title, own, members, current, known, level] of LEVELS) {
  it(`level: ${title}`, () => assert.is(levelOf(own, members, current, known), level));
}

const MISFITS: readonly (readonly [string, ChartRange, ChartRange, RegExp | null])[] = [
  ['the same build', v2, v2, null],
  ['one build apart, with casters both ways', v2, v1, null],
  [
    'one build apart, without a way down',
    v1,
    range(1, 2, 2),
    /^n2 writes key at chart 2 or higher, n1 loads it up to 1$/,
  ],
  ['one build apart, without a way up', range(2, 1, 2), v1, /^n1 loads key from chart 2 on, n2 writes it at 1$/],
  ['two builds apart', v3, v1, /^n1 writes key at chart 2 or higher, n2 loads it up to 1$/],
  ['two new ones that share the newest', v2Only, v3, null],
];

for (const [title, own, other, why] of MISFITS) {
  it(`misfit: ${title}`, () => {
    const found = misfit('n1', { key: own, tally: v1 }, 'n2', { key: other, batch: v3 });
    if (why === null) assert.is(found, null);
    else assert.match(found ?? '', why);
    const mirrored = misfit('n2', { key: other }, 'n1', { key: own });
    assert.is(mirrored, found, 'both ends say the same');
  });
}

it('names the stored actors that cannot be loaded', () => {
  const stored = (chart: number, kind = 'key') => [{ kind, chart }];
  assert.is(unloadable({ key: v2 }, [...stored(1), ...stored(2)]), null);
  assert.match(unloadable({ key: v1 }, stored(2)) ?? '', /key actors of chart 2, this build loads chart 1/);
  assert.match(unloadable({ key: v3 }, stored(1)) ?? '', /chart 1, this build loads charts 2 to 3/);
  assert.match(unloadable({ key: v3 }, stored(1, 'ghost')) ?? '', /kind ghost, which this build does not have/);
});

test.run();
