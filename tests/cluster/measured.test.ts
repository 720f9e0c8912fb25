/** Measurements of one endpoint, reported by three nodes, across drains and deaths of the node that owns it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC, observeAttempts, observeProbe } from '../../actors/endpoint/endpoint.ts';
import { readHistory } from '../../actors/endpoint/history.ts';
import { KEEP_EVERY_MS, PUBLISH_EVERY_MS } from '../../actors/endpoint/record.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../actors/terms/ids.ts';
import { EndpointHistories } from '../../gateway/pages/catalogue/endpoint-histories.ts';
import { bounded } from '../support/bounded.ts';
import { DECLARATION } from '../support/model/endpoints.ts';
import type { Logged } from '../support/model/measured-oracle.ts';
import { sameAsOracle } from '../support/model/same-as-oracle.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { inWorld, World } from './world.ts';

const it = bounded(test, 60_000);
const ID = DECLARATION.id;

class MeasuredWorld extends World {
  /** In the order of the calls. */
  readonly log: Logged[] = [];
  trio: readonly VirtualNode[] = [];

  async begin(trio: readonly VirtualNode[]): Promise<void> {
    this.trio = trio;
    await this.list(trio, DECLARATION);
  }

  get owner(): VirtualNode {
    return this.trio.find(({ node }) => node.owns(endpointAddress(ID))) as VirtualNode;
  }

  /** Every node that lives reports a batch about every second, each attempt with a time of its own. */
  async traffic(ms: number): Promise<void> {
    for (let past = 0; past < ms; past += 1_000) {
      for (const [nth, { node }] of this.trio.entries()) {
        const now = node.now();
        const attempts = [900, 400, 10].map((ago, at) => attempt(now - ago, this.log.length + at, nth));
        this.log.push(...attempts);
        observeAttempts(node, ID, attempts);
      }
      await this.nodes.pause(1_000);
    }
  }

  async without(gone: VirtualNode): Promise<void> {
    this.trio = this.trio.filter((node) => node !== gone);
    await this.nodes.until(() => this.owner !== undefined, 'another node owns the endpoint');
  }

  /** The endpoint as every node shows it, after a refresh. */
  async shown(): Promise<readonly Endpoint[]> {
    await this.nodes.pause(PUBLISH_EVERY_MS);
    observeProbe(this.owner.node, ID, null);
    await this.nodes.pause(1_000);
    return this.trio.map(({ node }) => node.board.read(ENDPOINTS_TOPIC, ID) as unknown as Endpoint);
  }

  async same(log: readonly Logged[]): Promise<void> {
    // The figures change with the minute: all of them are read within one.
    const now = this.owner.node.now();
    if (now % 60_000 > 45_000) await this.nodes.pause(60_000 - (now % 60_000));
    for (const endpoint of await this.shown()) sameAsOracle(endpoint, log, this.owner.node.now());
  }
}

function attempt(at: number, nth: number, node: number): Logged {
  return {
    ...{ at, by: `a${nth}`, outcome: nth % 9 === 0 ? 'error' : 'success', streamed: node !== 1 },
    ...{ ttftMs: 100 + ((nth * 37) % 900), durationMs: 500 + ((nth * 91) % 4_000), completionTokens: 20 + (nth % 50) },
    ...(nth % 3 === 0 ? { runaway: nth % 2 === 0, toolAsk: 'kept' as const } : {}),
  };
}

const within = (title: string, run: (world: MeasuredWorld) => Promise<void>): void =>
  it(title, () => inWorld(new MeasuredWorld(), ({ world, trio }) => world.begin(trio).then(() => run(world))));

within('attempts that three nodes report merge into the figures of one log, on every node', async (world) => {
  await world.traffic(90_000);
  await world.same(world.log);
});

within('a planned hand-over loses no observation', async (world) => {
  await world.traffic(50_000);
  const { owner } = world;
  await owner.node.drain();
  await world.without(owner);
  await world.same(world.log);
  await world.traffic(20_000);
  await world.same(world.log);
});

within('the death of the owner loses at most the observations of the last half minute', async (world) => {
  await world.traffic(100_000);
  const { owner, log } = world;
  const diedAt = owner.node.now();
  await owner.kill();
  await world.without(owner);
  const [shown] = await world.shown();
  const samples = shown?.measured.uptime1dSamples ?? 0;
  const kept = log.filter(({ at }) => at < diedAt - KEEP_EVERY_MS - 2_000).length;
  assert.ok(samples >= kept, `${samples} of ${log.length} attempts; ${kept} were to survive`);
  const history = await readHistory(world.owner.node, ID);
  const elsewhere = world.trio.find((node) => node !== world.owner) as VirtualNode;
  assert.equal(
    (await new EndpointHistories(elsewhere.node).of([ID])).get(ID),
    history,
    'as a page of another node shows',
  );
  assert.ok(history.reduce((sum, { success, error }) => sum + success + error, 0) >= kept);
  await world.same(log.slice(0, samples));
});

test.run();
