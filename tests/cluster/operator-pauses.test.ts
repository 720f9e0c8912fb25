/** An operator's pause of a provider and of an endpoint, on every node; and what operators see while the store is away. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listAudit } from '../../actors/audit/audit.ts';
import { endpointsOn } from '../../actors/endpoint/endpoint.ts';
import { declareProvider } from '../../actors/provider/provider.ts';
import type { Endpoint, ProviderFacts } from '../../actors/terms/endpoint.ts';
import { endpointAddress, providerAddress } from '../../actors/terms/ids.ts';
import { changePause } from '../../actors/terms/pause.ts';
import { bounded } from '../support/bounded.ts';
import { DECLARATION } from '../support/model/endpoints.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { inWorld, World } from './world.ts';

const it = bounded(test, 60_000);
const { id, provider } = DECLARATION;
const FACTS = { ...provider, website: null, headquarters: null, datacenters: null } as unknown as ProviderFacts;
const CHANGE = { by: { kind: 'operator', id: 'ada' }, withinMs: 5_000 } as const;
/** A pause must hold on every node within this time. */
const EFFECTIVE_MS = 2_000;

class PausedWorld extends World {
  trio: readonly VirtualNode[] = [];

  async begin(trio: readonly VirtualNode[]): Promise<void> {
    this.trio = trio;
    await declareProvider(this.first, FACTS, 5_000);
    await this.list(trio, DECLARATION);
  }

  get first(): VirtualNode['node'] {
    return (this.trio[0] as VirtualNode).node;
  }

  get shown(): readonly (Endpoint | undefined)[] {
    return this.trio.map(({ node }) => endpointsOn(node.board).get(id) as unknown as Endpoint | undefined);
  }

  /** True on all nodes, or false on all of them, in time. */
  async arePaused(wanted: boolean): Promise<void> {
    const tookMs = await this.nodes.within(EFFECTIVE_MS, () =>
      this.shown.every((one) => (one?.paused !== undefined) === wanted),
    );
    assert.ok(tookMs !== null, `${wanted ? 'paused' : 'resumed'} on every node within ${EFFECTIVE_MS} ms`);
  }
}

const within = (title: string, run: (world: PausedWorld) => Promise<void>): void =>
  it(title, () => inWorld(new PausedWorld(), ({ world, trio }) => world.begin(trio).then(() => run(world))));

within('a pause of an endpoint or of its provider holds on every node until it is resumed', async (world) => {
  const { first } = world;
  for (const address of [endpointAddress(id), providerAddress(provider.slug)]) {
    const paused = await changePause(first, address, 'too many errors', CHANGE);
    assert.is(paused.changed, true);
    await world.arePaused(true);
    for (const one of world.shown) assert.equal([one?.health, one?.paused?.reason], ['down', 'too many errors']);
    assert.is((await changePause(first, address, 'too many errors', CHANGE)).changed, false);
    const { actorCounts } = await first.operator.ps();
    const kind = address.split(':')[0];
    assert.ok(actorCounts.some((row) => row.kind === kind && row.state.endsWith(' (paused)')));
    const { explanation } = (await first.operator.inspect(address)) as { explanation: readonly string[] };
    assert.ok(explanation.some((line) => /^An operator paused it at .*\(too many errors\).*resume/.test(line)));
    assert.is((await changePause(first, address, null, CHANGE)).changed, true);
    await world.arePaused(false);
    assert.is((await changePause(first, address, null, CHANGE)).changed, false);
  }
  // The operator's log has a shard of its own: its messages leave after the commit.
  const read = () => listAudit(first.operator, 'operator', { limit: 10, before: null });
  let log = await read();
  for (let tries = 0; log.length < 4 && tries < 100; tries++) {
    await world.nodes.pause(100);
    log = await read();
  }
  assert.equal(
    log.map(({ action, target, by }) => `${action} ${target} ${by.id}`),
    [
      `provider.resume ${providerAddress(provider.slug)} ada`,
      `provider.pause ${providerAddress(provider.slug)} ada`,
      `endpoint.resume ${endpointAddress(id)} ada`,
      `endpoint.pause ${endpointAddress(id)} ada`,
    ],
  );
});

within('a pause outlives the death of its owner, and of the whole cluster but one node', async (world) => {
  await changePause(world.first, providerAddress(provider.slug), 'contract', CHANGE);
  for (const address of [providerAddress(provider.slug), endpointAddress(id)]) {
    const owner = world.trio.find(({ node }) => node.owns(address)) as VirtualNode;
    if (world.trio.length === 1) break;
    await owner.kill();
    world.trio = world.trio.filter((one) => one !== owner);
    await world.nodes.until(() => world.trio.some(({ node }) => node.owns(address)), 'another node owns it');
  }
  await world.nodes.pause(5_000);
  await world.arePaused(true);
  world.trio = [...world.trio, ...(await world.start('n4'))];
  await world.arePaused(true);
});

within('ps answers while the store is away: the nodes run, and since when it is out of reach', async (world) => {
  assert.is((await world.first.operator.ps()).outage, null);
  const before = world.first.now();
  for (const { process } of world.trio) process.store.cut = true;
  await world.nodes.pause(10_000);
  const view = await world.first.operator.ps();
  assert.equal(view.nodes.map(({ name, live, gauges }) => [name, live, gauges !== null]).sort(), [
    ['n1', true, true],
    ['n2', true, true],
    ['n3', true, true],
  ]);
  assert.ok(view.outage !== null && view.outage.why.length > 0);
  assert.ok(Math.abs((view.outage?.since ?? 0) - before) < 2_000, `since ${view.outage?.since}, cut at ${before}`);
  assert.ok(view.actorCounts.some(({ kind }) => kind === 'endpoint'));
  for (const { process } of world.trio) process.store.cut = false;
  await world.nodes.pause(5_000);
  assert.is((await world.first.operator.ps()).outage, null);
});

test.run();
