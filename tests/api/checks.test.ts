/** Checks in a whole cluster: real nodes, store and HTTP, simulated providers. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointAddress } from '../../actors/terms/ids.ts';
import type { EndpointOffer } from '../../actors/terms/offer.ts';
import { checksFor } from '../../gateway/checks/probes-for.ts';
import type { NodeHandle } from '../../gateway/main.ts';
import { bounded } from '../support/bounded.ts';
import { startCluster, type TestCluster } from '../support/cluster/start-cluster.ts';

const it = bounded(test, 60_000);

let cluster: TestCluster;

test.before(async () => {
  cluster = await startCluster({ nodes: 2, checks: { enabled: true, lookEveryMs: 5, firstWithinMs: 1 } });
});
test.after(() => cluster.close());

function offersAt(node: NodeHandle | undefined): readonly EndpointOffer[] {
  return [...(node?.cluster.board.topic('endpoints').values() ?? [])] as unknown as EndpointOffer[];
}

/** True once every check that an endpoint's declarations call for was tried. */
function isTried(offer: EndpointOffer): boolean {
  return (
    offer.health === 'down' ||
    checksFor(offer).every((check) => offer.evidence.checks?.some((one) => one.check === check))
  );
}

const tools = (offers: readonly EndpointOffer[]) =>
  offers.filter((offer) => offer.supportedParameters.includes('tools') && !/flaky|down/.test(offer.model));

it('endpoints are verified soon after the start, by the node that owns each, and every node knows', async () => {
  const [first, second] = cluster.nodes;
  while (!offersAt(first).every(isTried) || !offersAt(second).every(isTried)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (const node of cluster.nodes) {
    assert.ok(tools(offersAt(node)).length > 0);
    for (const { model, evidence } of tools(offersAt(node))) {
      assert.is(evidence.dispatchVerified, true, model);
      assert.equal(evidence.withheld, [], model);
    }
  }
  const owned = cluster.nodes.map((node) => offersAt(node).filter(({ id }) => node.cluster.owns(endpointAddress(id))));
  assert.ok(
    owned.every((offers) => offers.length > 0),
    'both had their share',
  );
});

it('checks are billed to nobody and spend no rate: no account, no generation, no charge', async () => {
  const { key } = await cluster.fund('10');
  const answer = await fetch(`${cluster.baseUrls[0]}/credits`, { headers: { authorization: `Bearer ${key}` } });
  const { data } = (await answer.json()) as { data: { total_usage: number } };
  assert.is(data.total_usage, 0);
  const asked = cluster.simulators.flatMap(({ calls }) => calls);
  assert.ok(asked.length > 0);
  assert.ok(
    asked.every(
      ({ body }) => JSON.stringify(body).length < 1_000 && (body.max_tokens ?? body.max_completion_tokens ?? 0) <= 512,
    ),
  );
});

it('why tells what was verified, and inspect shows it', async () => {
  const [node] = cluster.nodes;
  const [offer] = tools(offersAt(node).filter(({ id }) => node?.cluster.owns(endpointAddress(id))));
  const seen = await node?.cluster.operator.inspect(endpointAddress(offer?.id ?? ''));
  const lines = seen?.explanation.join('\n') ?? '';
  assert.match(
    lines,
    /The check of tool_dispatch was last tried at .*: a streamed call came whole\. It has passed, .* which counts until /,
  );
  assert.match(JSON.stringify(seen?.context), /"tool_dispatch":\{"version":1/);
});

it('what was found outlives the node that found it, and is not asked again', async () => {
  const [leaving, staying] = cluster.nodes;
  const before = new Map(offersAt(staying).map(({ id, evidence }) => [id, JSON.stringify(evidence.checks)]));
  const calls = cluster.simulators.map((simulator) => simulator.calls.length);
  await leaving?.drain();
  while (!offersAt(staying).every(({ id }) => staying?.cluster.owns(endpointAddress(id)))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (const { id, evidence } of offersAt(staying)) assert.is(JSON.stringify(evidence.checks), before.get(id));
  assert.equal(
    cluster.simulators.map((simulator) => simulator.calls.length),
    calls,
  );
});

test.run();
