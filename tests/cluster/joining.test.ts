/**
 * A newcomer on a machine that is short of processor time, on a virtual clock: its handshakes time out for seconds,
 * while its heartbeat is fresh. (rule N29)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkFailed, type Transport } from '../../actors/runtime/ports/transport.ts';
import config from '../../cluster.config.ts';
import { bounded } from '../support/bounded.ts';
import { type VirtualNode, VirtualNodes } from './virtual-nodes.ts';

const it = bounded(test);
const NEWCOMER = 'n3';
/** A transport gives up after this long. */
const HANDSHAKE_MS = 1_000;
const READY_MS_MAX = 3_000;
const VERDICT_MS_MAX = 4_500;

/** Two members, each on a host of its own, and what a third node meets that dials and is dialled. */
class Crowded {
  readonly nodes = new VirtualNodes({ shards: 8, oneHost: false });
  /** Until then no handshake with the newcomer is answered in time. Monotonic ms. */
  shortUntil = Number.POSITIVE_INFINITY;

  async members(): Promise<readonly [VirtualNode, VirtualNode]> {
    const [first, second] = [await this.start('n1'), await this.start('n2')];
    await this.nodes.until(() => first.node.ready && second.node.ready, 'two members');
    await this.nodes.pause(5_000);
    return [first, second];
  }

  start(name: string): Promise<VirtualNode> {
    return this.nodes.start(name, {}, (own) => this.#slowed(own));
  }

  stateOf({ node }: VirtualNode): string {
    return this.nodes.store.allNodes().find((row) => row.incarnation === node.self.incarnation)?.state ?? 'none';
  }

  #slowed(own: Transport): Transport {
    const { clock } = this.nodes;
    return {
      listen: (...args) => own.listen(...args),
      probe: (...args) => own.probe(...args),
      close: () => own.close(),
      dial: async (address, hello, attach) => {
        const concerned = hello.name === NEWCOMER || address.startsWith(`${NEWCOMER}:`);
        if (!concerned || clock.monotonic() >= this.shortUntil) return own.dial(address, hello, attach);
        await new Promise<void>((resolve) => void clock.after(HANDSHAKE_MS, resolve));
        throw new LinkFailed('no answer to the handshake', false);
      },
    };
  }
}

async function crowded(run: (crowd: Crowded) => Promise<void>): Promise<void> {
  const crowd = new Crowded();
  await run(crowd).finally(() => crowd.nodes.close());
}

it('a newcomer whose handshakes time out for ten seconds joins, at the first start, and takes its shards (rule N29)', () =>
  crowded(async (crowd) => {
    const members = await crowd.members();
    crowd.shortUntil = crowd.nodes.clock.monotonic() + 10_000;
    const newcomer = await crowd.start(NEWCOMER);
    await crowd.nodes.pause(9_000);
    assert.is(crowd.stateOf(newcomer), 'joining');
    assert.equal(
      members.map((each) => crowd.stateOf(each)),
      ['up', 'up'],
    );
    const readyMs = await crowd.nodes.within(READY_MS_MAX + 2_000, () => newcomer.node.ready);
    assert.ok(readyMs !== null, crowd.stateOf(newcomer));
    await crowd.nodes.pause(2_000);
    assert.is(crowd.stateOf(newcomer), 'up');
    const owners = new Set((await crowd.nodes.store.shards()).map(({ owner }) => owner));
    assert.is(owners.size, 3, 'each node owns shards');
    assert.ok(crowd.nodes.started.every(({ died }) => died.length === 0));
  }));

it('a newcomer that cannot be reached is voted out in the end, and owns no shard until then (rule N29)', () =>
  crowded(async (crowd) => {
    await crowd.members();
    const before = JSON.stringify(await crowd.nodes.store.shards());
    const newcomer = await crowd.start(NEWCOMER);
    await crowd.nodes.pause(config.runtime.joinMs - 2_000);
    assert.is(crowd.stateOf(newcomer), 'joining');
    assert.ok((await crowd.nodes.within(4_000, () => crowd.stateOf(newcomer) === 'dead')) !== null);
    await crowd.nodes.pause(2_000);
    assert.equal(newcomer.died, ['declared dead: did not join']);
    assert.is(JSON.stringify(await crowd.nodes.store.shards()), before);
  }));

it('a member that is cut off while another node joins is replaced as soon as ever', () =>
  crowded(async (crowd) => {
    const [first, second] = await crowd.members();
    await crowd.start(NEWCOMER);
    await crowd.nodes.pause(3_000);
    crowd.nodes.cut('n1', 'n2');
    crowd.nodes.cut('n2', 'n1');
    const tookMs = await crowd.nodes.within(10_000, () => crowd.stateOf(second) === 'dead');
    assert.ok(tookMs !== null && tookMs <= VERDICT_MS_MAX, `${tookMs} ms`);
    await crowd.nodes.pause(1_000);
    const owners = (await crowd.nodes.store.shards()).map(({ owner }) => owner);
    assert.ok(owners.every((owner) => owner === first.node.self.incarnation));
  }));

it('a member that stops while another node joins is replaced as soon as ever', () =>
  crowded(async (crowd) => {
    const [first, second] = await crowd.members();
    await crowd.start(NEWCOMER);
    await crowd.nodes.pause(3_000);
    crowd.nodes.stall(first);
    const tookMs = await crowd.nodes.within(10_000, () => crowd.stateOf(first) === 'dead');
    assert.ok(tookMs !== null && tookMs <= VERDICT_MS_MAX, `${tookMs} ms`);
    await crowd.nodes.pause(1_500);
    const owners = (await crowd.nodes.store.shards()).map(({ owner }) => owner);
    assert.ok(owners.every((owner) => owner === second.node.self.incarnation));
  }));

for (const first of ['n3', 'n1']) {
  it(`of three nodes that start at once on a busy machine, ${first} first, all join`, () =>
    crowded(async (crowd) => {
      crowd.shortUntil = crowd.nodes.clock.monotonic() + 8_000;
      await crowd.start(first);
      await Promise.all(['n1', 'n2', 'n3'].filter((name) => name !== first).map((name) => crowd.start(name)));
      const readyMs = await crowd.nodes.within(20_000, () => crowd.nodes.started.every(({ node }) => node.ready));
      assert.ok(readyMs !== null);
      assert.ok(crowd.nodes.started.every(({ died }) => died.length === 0));
    }));
}

test.run();
