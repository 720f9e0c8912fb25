/** The effects of a stall and of a cut link, on a virtual clock, at every phase. (rule N26, rule N27) */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../cluster.config.ts';
import { bounded } from '../support/bounded.ts';
import { type VirtualNode, VirtualNodes } from './virtual-nodes.ts';

const it = bounded(test);
const GAPS_MS = [0, 170, 160];
const SHARDS = 8;
const NAMES = ['n1', 'n2', 'n3'];
const PHASES_MS = [0, 60, 130, 190, 260, 320, 390, 450];
const VERDICT_MS_MAX = 4_500;
/** A link counts as live for 2 s, is written within 0.1 s, and the node is outside for 2 s; the rest of 4.5 s is the takeover. */
const CUT_VERDICT_MS_MAX = 4_150;

/** One world at a time: the next one ends the one before. */
let world: VirtualNodes | null = null;
async function apart(gapsMs: readonly number[]): Promise<VirtualNodes> {
  await world?.close();
  world = await VirtualNodes.apart(gapsMs, SHARDS);
  return world;
}
test.after(() => world?.close());

const nodesOf = (cluster: VirtualNodes): readonly [VirtualNode, VirtualNode, VirtualNode] =>
  cluster.started as unknown as [VirtualNode, VirtualNode, VirtualNode];

for (const [closely, gaps] of [
  [false, GAPS_MS],
  [true, GAPS_MS],
  [false, [0, 230]],
  [true, [0, 230]],
] as const) {
  const title = `${gaps.length} nodes, ${closely ? 'watched by operators too' : 'watched by heartbeats only'}`;
  it(`a stall of 3 s votes no node out: ${title} (rule N26)`, async () => {
    const cluster = await apart(gaps);
    for (const victim of cluster.started) {
      for (let phase = 0; phase < 500; phase += 25) {
        await cluster.pause(5_000 + phase);
        const others = cluster.started.filter((each) => each !== victim);
        // Every operator call reads the rows, so that the stall is observed more often than by heartbeats.
        const look = (): void => {
          for (const { node } of others) void node.operator.ps();
        };
        await cluster.stallFor(victim, 3_000, closely ? look : () => {});
        await cluster.pause(3_000);
        const alive = cluster.started.map((each) => cluster.isAlive(each));
        assert.ok(alive.every(Boolean), `phase ${phase} of ${victim.node.self.name}: ${alive.join()}`);
      }
    }
    assert.ok(cluster.started.every(({ died }) => died.length === 0));
  });
}

it('a node that stalls for 8 s is replaced, and detects that when it resumes (rule N26)', async () => {
  for (let at = 0; at < 3; at++) {
    const cluster = await apart(GAPS_MS);
    const victim = cluster.started[at] as VirtualNode;
    await cluster.stallFor(victim, 8_000);
    assert.is(cluster.isAlive(victim), false);
    await cluster.pause(1_000);
    assert.is(victim.died.length, 1);
    const owners = new Set((await cluster.store.shards()).map((row) => row.owner));
    assert.is(owners.has(victim.node.self.incarnation), false);
    assert.is(cluster.started.filter((each) => cluster.isAlive(each)).length, 2);
  }
});

it('a node that stops for good is voted out within 4.5 s, at every phase', async () => {
  for (const phase of PHASES_MS) {
    const cluster = await apart(GAPS_MS);
    const victim = nodesOf(cluster)[(phase % 3) as 0 | 1 | 2];
    await cluster.pause(phase);
    cluster.stall(victim);
    const tookMs = await cluster.within(10_000, () => !cluster.isAlive(victim));
    assert.ok(tookMs !== null && tookMs <= VERDICT_MS_MAX, `phase ${phase}: ${tookMs} ms`);
  }
});

it('a node whose own event loop stalled for longer than its read lease never calls itself isolated, at every phase', async () => {
  for (const phase of PHASES_MS) {
    const cluster = await apart([0, 170]);
    const [victim] = cluster.started as [VirtualNode];
    await cluster.pause(phase);
    await cluster.stallFor(victim, config.runtime.readLeaseMs + 300);
    assert.equal([victim.node.connected, victim.node.isolated], [false, false], `phase ${phase}`);
    const backMs = await cluster.within(1_000, () => {
      assert.is(victim.node.isolated, false, `phase ${phase}`);
      return victim.node.connected;
    });
    assert.ok(backMs !== null && backMs <= 100, `phase ${phase}: ${backMs} ms`);
  }
});

/** Directions that are cut between n1, n2 and n3, and the node to vote out: of a pair with a cut link the younger. */
const CUTS: readonly (readonly [string, readonly (readonly [number, number])[], number])[] = [
  [
    'all links of the oldest, both ways',
    [
      [0, 1],
      [1, 0],
      [0, 2],
      [2, 0],
    ],
    0,
  ],
  [
    'all links of the youngest, both ways',
    [
      [2, 0],
      [0, 2],
      [2, 1],
      [1, 2],
    ],
    2,
  ],
  [
    'all outbound links of the second',
    [
      [1, 0],
      [1, 2],
    ],
    1,
  ],
  [
    'all inbound links of the second',
    [
      [0, 1],
      [2, 1],
    ],
    1,
  ],
  ['one direction between the first and the last', [[0, 2]], 2],
  ['the other direction between them', [[2, 0]], 2],
  [
    'both directions between the first two',
    [
      [0, 1],
      [1, 0],
    ],
    1,
  ],
];

for (const [title, directions, loser] of CUTS) {
  it(`a cut link, ${title}: only that node is voted out, within 4.5 s, at every phase`, async () => {
    for (const phase of PHASES_MS) {
      const cluster = await apart(GAPS_MS);
      await cluster.pause(phase);
      for (const [from, to] of directions) cluster.cut(NAMES[from] as string, NAMES[to] as string);
      const tookMs = await cluster.within(10_000, () => cluster.started.some((each) => !cluster.isAlive(each)));
      await cluster.pause(3_000);
      assert.equal(
        cluster.started.map((each) => cluster.isAlive(each)),
        [0, 1, 2].map((at) => at !== loser),
        `phase ${phase}`,
      );
      assert.ok(tookMs !== null && tookMs <= CUT_VERDICT_MS_MAX, `phase ${phase}: ${tookMs} ms`);
      const owners = (await cluster.store.shards()).map((row) => row.owner);
      const left = cluster.started.filter((_, at) => at !== loser).map(({ node }) => node.self.incarnation);
      assert.ok(
        owners.every((owner) => owner !== null && left.includes(owner)),
        'each shard has one owner among the remaining nodes',
      );
    }
  });
}

it('a cut that is over within a second changes nothing', async () => {
  const cluster = await apart(GAPS_MS);
  const [a, b] = nodesOf(cluster);
  for (const phase of PHASES_MS) {
    await cluster.pause(4_000 + phase);
    cluster.cut(a.node.self.name, b.node.self.name);
    await cluster.pause(1_000);
    cluster.heal();
  }
  await cluster.pause(6_000);
  assert.ok(cluster.started.every((each) => cluster.isAlive(each)));
});

const STORE_AWAY_MS = [4_500, 12_000];
const BACK_MS_MAX = 2_000;

async function ownersOf(cluster: VirtualNodes): Promise<string> {
  return JSON.stringify((await cluster.store.shards()).map(({ owner, epoch }) => [owner, epoch]));
}

for (const awayMs of STORE_AWAY_MS) {
  it(`a store unreachable for ${awayMs} ms stops reads and moves no shard, at every phase`, async () => {
    const cluster = await apart(GAPS_MS);
    const before = await ownersOf(cluster);
    for (let phase = 0; phase < 500; phase += 25) {
      await cluster.pause(5_000 + phase);
      for (const { store } of cluster.started) store.cut = true;
      await cluster.pause(awayMs);
      assert.equal(
        cluster.started.map(({ node }) => [node.connected, node.isolated]),
        Array(3).fill([false, true]),
        `phase ${phase}`,
      );
      for (const { store } of cluster.started) store.cut = false;
      const backMs = await cluster.within(10_000, () => cluster.started.every(({ node }) => node.connected));
      assert.ok(backMs !== null && backMs <= BACK_MS_MAX, `phase ${phase}: ${backMs} ms`);
      await cluster.pause(3_000);
      assert.ok(cluster.started.every((each) => cluster.isAlive(each)));
      assert.is(await ownersOf(cluster), before, `phase ${phase}`);
    }
    assert.ok(cluster.started.every(({ died }) => died.length === 0));
  });
}

it('a node that cannot reach the store stops reading before it is replaced, within 4.5 s, at every phase (rule N27)', async () => {
  for (const phase of PHASES_MS) {
    const cluster = await apart(GAPS_MS);
    const victim = nodesOf(cluster)[(phase % 3) as 0 | 1 | 2];
    await cluster.pause(phase);
    victim.store.cut = true;
    const tookMs = await cluster.within(10_000, () => !cluster.isAlive(victim));
    assert.is(victim.node.connected, false, `phase ${phase}`);
    assert.ok(tookMs !== null && tookMs <= VERDICT_MS_MAX, `phase ${phase}: ${tookMs} ms`);
    assert.is(cluster.started.filter((each) => cluster.isAlive(each)).length, 2);
    assert.equal(victim.died, [], 'it has not detected its death yet');
    victim.store.cut = false;
    await cluster.pause(1_500);
    assert.is(victim.died.length, 1);
  }
});

it('clock steps of an hour and a skew of 30 s move no shard, at every phase (rule N30)', async () => {
  const HOUR_MS = 3_600_000;
  const cluster = await apart(GAPS_MS);
  const before = await ownersOf(cluster);
  const [a, b] = nodesOf(cluster);
  for (let phase = 0; phase < 500; phase += 25) {
    for (const [first, second] of [
      [30_000, -30_000],
      [HOUR_MS, 0],
      [-HOUR_MS, 30_000],
    ] as const) {
      a.process.clock.skewMs = first;
      b.process.clock.skewMs = second;
      await cluster.pause(1_200 + phase);
      assert.ok(cluster.started.every((each) => cluster.isAlive(each) && each.node.connected));
    }
  }
  assert.is(await ownersOf(cluster), before);
  assert.ok(cluster.started.every(({ died }) => died.length === 0));
});

test.run();
