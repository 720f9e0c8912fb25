/** Two builds side by side in one cluster: shards move both ways, no state is lost, and the chart level rises at the end. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../actors/runtime/index.ts';
import { tallyTwo } from '../actors/example-kinds/tally.ts';
import { bounded } from '../support/bounded.ts';
import type { Started } from './test-nodes.ts';
import { VirtualNodes } from './virtual-nodes.ts';

const it = bounded(test);
const add = { type: 'tally.add', by: 1 };
const addresses = Array.from({ length: 40 }, (_, i) => `tally:up${i}`);
const NEW = { kinds: [tallyTwo] };

const withNodes = async (run: (nodes: VirtualNodes) => Promise<void>): Promise<void> => {
  const nodes = new VirtualNodes();
  try {
    await run(nodes);
  } finally {
    await nodes.close();
  }
};

const addToAll = async (from: Started): Promise<number[]> =>
  Promise.all(
    addresses.map(async (to) => ((await from.node.ask(to, add, { withinMs: 5_000 })) as { sum: number }).sum),
  );

const all = (sum: number): number[] => addresses.map(() => sum);

async function charts(nodes: VirtualNodes): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { chart, count } of await nodes.store.actorCounts()) counts[chart] = (counts[chart] ?? 0) + count;
  return counts;
}

const quarantined = async ({ node }: Started): Promise<readonly Json[]> =>
  (await node.operator.ps()).quarantined as unknown as readonly Json[];

it('an old and a new build share a cluster: shards move both ways, no state is lost, the level rises at the end (rule N31)', () =>
  withNodes(async (nodes) => {
    const old = await nodes.start('n1');
    await nodes.until(() => old.node.ready, 'the old one is ready');
    assert.equal(await addToAll(old), all(1));

    const fresh = await nodes.start('n2', NEW);
    await nodes.until(() => addresses.some((to) => fresh.node.owns(to)), 'shards moved to the new build');
    await nodes.until(() => fresh.node.ready, 'the new one is ready');
    assert.equal(await addToAll(old), all(2));
    assert.ok(addresses.some((to) => fresh.node.owns(to)) && addresses.some((to) => old.node.owns(to)));
    assert.equal(await charts(nodes), { 1: 40 }, 'the new build writes what the old one loads');

    // Back to the old build: it loads everything the new one wrote.
    await fresh.node.leave();
    await nodes.until(() => addresses.every((to) => old.node.owns(to)), 'everything is back');
    assert.equal(await addToAll(old), all(3));

    const second = await nodes.start('n2', NEW);
    await nodes.until(() => addresses.some((to) => second.node.owns(to)), 'shards moved to the new build again');
    assert.equal(await addToAll(second), all(4));
    assert.equal([...(await quarantined(old)), ...(await quarantined(second))], []);
    await old.node.leave();
    await nodes.until(() => addresses.every((to) => second.node.owns(to)), 'the new build has everything');
    const risen = (): boolean =>
      nodes.logs.some(({ node, message, chart }) => node === 'n2' && /another chart/.test(`${message}`) && chart === 2);
    await nodes.until(risen, 'the level rose');
    assert.equal(await addToAll(second), all(5));
    assert.equal(await charts(nodes), { 2: 40 });
    assert.equal(await quarantined(second), []);

    // A downgrade is now impossible, and its error states that.
    const late = await nodes.start('n1').then(
      () => 'it joined',
      (error: Error) => error.message,
    );
    assert.match(late, /the store holds tally actors of chart 2, this build loads chart 1/);
  }));

it('a new build that cannot write for the old one is refused, with the reason in one line', () =>
  withNodes(async (nodes) => {
    const old = await nodes.start('n1');
    await nodes.until(() => old.node.ready, 'the old one is ready');
    await addToAll(old);
    const { downcast: _, ...oneWay } = tallyTwo;
    const fresh = await nodes.start('n2', { kinds: [oneWay] });
    await nodes.until(() => fresh.died.length > 0, 'it is voted out', 2_000);
    assert.match(fresh.died.join(), /n2 writes tally at chart 2 or higher, n1 loads it up to 1$/);
    assert.equal(await addToAll(old), all(2));
  }));

test.run();
