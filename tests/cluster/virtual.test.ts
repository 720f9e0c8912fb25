import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { clusterContract } from './cluster.contract.ts';
import { addressOn } from './test-nodes.ts';
import { VirtualNodes } from './virtual-nodes.ts';

clusterContract(test, 'virtual', () => new VirtualNodes());

const it = bounded(test);

it('a cut between two of three nodes: one is voted out, and its actors are served elsewhere', async () => {
  const nodes = new VirtualNodes();
  try {
    const [a, b, c] = await nodes.trio();
    const [youngest] = [a, b, c].sort((x, y) => y.node.self.birth - x.node.self.birth);
    const others = [a, b, c].filter((it) => it !== youngest);
    const [near, far] = others as [typeof a, typeof a];
    if (!youngest) throw new Error('nobody');
    const address = addressOn(youngest.node, 'cut');
    await near.node.ask(address, { type: 'tally.add', by: 1 }, { withinMs: 3_000 });
    const began = nodes.clock.monotonic();
    // Cutting one direction breaks the link between the two; the third still reaches both.
    nodes.cut(youngest.node.self.name, far.node.self.name);
    await nodes.until(() => youngest.died.length > 0, 'it is voted out', 10_000);
    const tookMs = nodes.clock.monotonic() - began;
    assert.ok(tookMs > 2_000 && tookMs < 7_000, `${tookMs} ms`);
    assert.is(youngest.node.owns(address), false);
    assert.equal(await far.node.ask(address, { type: 'tally.add', by: 1 }, { withinMs: 3_000 }), { sum: 2 });
  } finally {
    await nodes.close();
  }
});

it('the last value of a killed node reaches a node that its own message did not reach', async () => {
  const nodes = new VirtualNodes();
  try {
    const [a, b, c] = await nodes.trio();
    nodes.cut(b.node.self.name, c.node.self.name);
    b.node.board.publish('notes', 'k', 'last');
    await nodes.until(() => a.node.board.read('notes', 'k') === 'last', 'one node has the value', 1_000);
    assert.is(c.node.board.read('notes', 'k'), null);
    void b.kill();
    nodes.heal();
    await nodes.until(() => c.node.board.read('notes', 'k') === 'last', 'the other node has it too', 10_000);
  } finally {
    await nodes.close();
  }
});

test.run();
