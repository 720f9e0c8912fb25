import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  condemned,
  liveSet,
  type Sight,
  type Watched,
} from '../../../../../actors/runtime/cluster/membership/verdict.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const NAMES = ['a', 'b', 'c', 'd', 'e'];

/** Lists of peers by bit mask, made once: a million verdicts are computed from them. */
const LISTS = Array.from({ length: 32 }, (_, mask) => NAMES.filter((_name, index) => mask & (1 << index)));

/** `reaches[i]` is the mask of nodes from which node i receives heartbeats. Births are in the order of `births`. */
function sights(reaches: readonly number[], births: readonly number[], fresh = 0b11111, joining = 0): Sight[] {
  return reaches.map((mask, i) => ({
    incarnation: NAMES[i] as string,
    birth: births[i] as number,
    reaches: LISTS[mask] as string[],
    fresh: (fresh & (1 << i)) !== 0,
    joining: (joining & (1 << i)) !== 0,
  }));
}

/** The rule written the plain way: every subset, largest first, ties to the group with the oldest, then second oldest. */
function oracle(reaches: readonly number[], births: readonly number[], fresh = 0b11111): string {
  let best: number[] = [];
  for (let mask = 1; mask < 1 << reaches.length; mask++) {
    const group = reaches.map((_, i) => i).filter((i) => mask & (1 << i));
    if (group.some((i) => !(fresh & (1 << i)))) continue;
    if (!group.every((i) => group.every((j) => i === j || (reaches[i] as number) & (1 << j)))) continue;
    if (group.length > best.length || (group.length === best.length && older(group, best, births))) best = group;
  }
  return best
    .map((i) => NAMES[i])
    .sort()
    .join('');
}

function older(group: readonly number[], than: readonly number[], births: readonly number[]): boolean {
  const ages = (it: readonly number[]): number[] => it.map((i) => births[i] as number).sort((x, y) => x - y);
  const [left, right] = [ages(group), ages(than)];
  for (let i = 0; i < left.length; i++) {
    if (left[i] !== right[i]) return (left[i] as number) < (right[i] as number);
  }
  return false;
}

const shown = (live: ReadonlySet<string>): string => [...live].sort().join('');

/** Every set of directed cuts between n nodes, as the masks of remaining contacts. */
function* cuts(n: number): Generator<readonly number[]> {
  const pairs = Array.from({ length: n * n }, (_, k) => [Math.floor(k / n), k % n] as const).filter(
    ([i, j]) => i !== j,
  );
  const reaches = new Array<number>(n);
  for (let cut = 0; cut < 1 << pairs.length; cut++) {
    reaches.fill(0);
    for (let k = 0; k < pairs.length; k++) {
      const [from, to] = pairs[k] as readonly [number, number];
      if (!(cut & (1 << k))) reaches[to] = (reaches[to] as number) | (1 << from);
    }
    yield reaches;
  }
}

it('every cut of three nodes, one way or both, leaves the group the rule names (rule N27)', () => {
  let count = 0;
  for (const births of [
    [1, 2, 3],
    [3, 2, 1],
    [2, 3, 1],
  ]) {
    for (const reaches of cuts(3)) {
      assert.is(shown(liveSet(sights(reaches, births))), oracle(reaches, births), JSON.stringify({ reaches, births }));
      count += 1;
    }
  }
  assert.is(count, 3 * 64);
});

it('every cut of five nodes, one way or both, leaves the group the rule names', () => {
  const births = [4, 1, 5, 2, 3];
  // Only mutual contact counts, so the oracle runs once per contact graph; the verdict runs for every cut.
  const expected = new Map<string, string>();
  let count = 0;
  for (const reaches of cuts(5)) {
    const mutual = reaches.map((mask, i) => {
      let both = 0;
      for (let j = 0; j < 5; j++) if (mask & (1 << j) && (reaches[j] as number) & (1 << i)) both |= 1 << j;
      return both;
    });
    const key = mutual.join();
    let rule = expected.get(key);
    if (rule === undefined) {
      rule = oracle(mutual, births);
      expected.set(key, rule);
    }
    const live = shown(liveSet(sights(reaches, births)));
    if (live !== rule) assert.is(live, rule, JSON.stringify({ reaches }));
    count += 1;
  }
  assert.is(count, 1 << 20);
  assert.is(expected.size, 1 << 10);
});

it('every partition of five nodes into groups keeps the largest, ties to the oldest birth', () => {
  const births = [5, 4, 3, 2, 1];
  let count = 0;
  const place = (groups: readonly number[], next: number): void => {
    if (next === 5) {
      const reaches = [0, 1, 2, 3, 4].map((i) => (groups.find((mask) => mask & (1 << i)) as number) & ~(1 << i));
      const size = (mask: number): number => LISTS[mask]?.length ?? 0;
      const oldest = (mask: number): number => Math.min(...births.filter((_, i) => mask & (1 << i)));
      const winner = [...groups].sort((x, y) => size(y) - size(x) || oldest(x) - oldest(y))[0] as number;
      assert.is(shown(liveSet(sights(reaches, births))), (LISTS[winner] as string[]).join(''));
      count += 1;
      return;
    }
    groups.forEach((_, i) => {
      place(
        groups.map((mask, j) => (i === j ? mask | (1 << next) : mask)),
        next + 1,
      );
    });
    place([...groups, 1 << next], next + 1);
  };
  place([], 0);
  assert.is(count, 52);
});

it('in every cut of four nodes the members inside are those without the newcomers, who join where all of them hear', () => {
  const births = [2, 1, 4, 3];
  let joined = 0;
  for (const reaches of cuts(4)) {
    const areMutual = (i: number, j: number): boolean =>
      ((reaches[i] as number) & (1 << j)) !== 0 && ((reaches[j] as number) & (1 << i)) !== 0;
    for (let joining = 1; joining < 15; joining++) {
      const live = liveSet(sights(reaches, births, 0b1111, joining));
      const inside = [0, 1, 2, 3].filter((i) => live.has(NAMES[i] as string));
      const members = inside.filter((i) => !(joining & (1 << i)));
      const shape = JSON.stringify({ reaches, joining });
      assert.is(members.map((i) => NAMES[i]).join(''), oracle(reaches, births, 0b1111 & ~joining), shape);
      assert.ok(
        inside.every((i) => inside.every((j) => i === j || areMutual(i, j))),
        shape,
      );
      const others = [0, 1, 2, 3].filter((i) => joining & (1 << i) && !inside.includes(i));
      assert.ok(!others.some((i) => inside.every((j) => areMutual(i, j))), shape);
      joined += inside.length - members.length;
    }
  }
  assert.ok(joined > 1_000);
});

it('without any member the largest group of newcomers joins, the oldest first', () => {
  for (const reaches of cuts(3)) {
    assert.is(shown(liveSet(sights(reaches, [3, 1, 2], 0b111, 0b111))), oracle(reaches, [3, 1, 2]));
  }
});

it('a stale row is in no group, even if other nodes have contact with it', () => {
  const all = [0b110, 0b101, 0b011];
  for (let fresh = 0; fresh < 8; fresh++) {
    assert.is(shown(liveSet(sights(all, [1, 2, 3], fresh))), oracle(all, [1, 2, 3], fresh));
  }
  assert.is(liveSet([]).size, 0);
});

it('twenty nodes with one broken pair keep nineteen, the oldest of the pair among them', () => {
  const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
  const rows = names.map((name, i) => ({
    incarnation: name,
    birth: 20 - i,
    fresh: true,
    joining: false,
    reaches: names.filter((other) => !(name === 'n3' && other === 'n7')),
  }));
  const live = liveSet(rows);
  assert.is(live.size, 19);
  assert.ok(live.has('n7') && !live.has('n3'));
});

const LIMITS = { staleMs: 3_300, voteOutMs: 2_000, joinMs: 30_000 };
const watched = (incarnation: string, unchangedMs: number, outsideMs: number): Watched => ({
  ...{ incarnation, birth: 1, reaches: [], unchangedMs, outsideMs, joining: false },
});
const joining = (...row: Parameters<typeof watched>): Watched => ({ ...watched(...row), joining: true });

const VOTES: readonly (readonly [string, string, readonly Watched[], readonly string[]])[] = [
  ['healthy nodes are left alone', 'ab', [watched('a', 0, 0), watched('b', 400, 0)], []],
  ['outside for less than the bound', 'a', [watched('a', 0, 0), watched('b', 0, 1_999)], []],
  ['outside for the bound', 'a', [watched('a', 0, 0), watched('b', 0, 2_000)], ['b: outside the live set']],
  ['inside and fresh counts whatever it was before', 'ab', [watched('a', 0, 0), watched('b', 0, 9_000)], []],
  ['silent up to the bound', 'ab', [watched('a', 0, 0), watched('b', 3_300, 0)], []],
  ['silent beyond the bound', 'a', [watched('a', 0, 0), watched('b', 3_301, 0)], ['b: silent heartbeat']],
  ['who is outside itself judges nobody', 'bc', [watched('a', 0, 5_000), watched('b', 9_000, 9_000)], []],
  ['joining and outside for the bound of a member', 'a', [watched('a', 0, 0), joining('b', 0, 29_999)], []],
  ['joining for its own bound', 'a', [watched('a', 0, 0), joining('b', 0, 30_000)], ['b: did not join']],
  ['joining and silent', 'a', [watched('a', 0, 0), joining('b', 3_301, 0)], ['b: silent heartbeat']],
  [
    'a member beside a newcomer has no longer bound',
    'a',
    [watched('a', 0, 0), joining('b', 0, 2_000), watched('c', 0, 2_000)],
    ['c: outside the live set'],
  ],
  ['a newcomer that is outside itself judges nobody', 'bc', [joining('a', 0, 5_000), watched('b', 9_000, 0)], []],
  ['nobody judges itself', 'a', [watched('a', 9_000, 9_000)], []],
];

for (const [title, live, nodes, expected] of VOTES) {
  it(`vote: ${title}`, () => {
    const votes = condemned('a', nodes, new Set(live), LIMITS);
    assert.equal(
      votes.map(({ incarnation, why }) => `${incarnation}: ${why}`),
      expected,
    );
  });
}

test.run();
