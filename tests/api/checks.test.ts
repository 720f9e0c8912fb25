/** Checks in a whole cluster: real nodes, store and HTTP, simulated providers. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { declareEndpoint } from '../../actors/endpoint/endpoint.ts';
import type { Cluster } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../actors/terms/ids.ts';
import { checksFor } from '../../gateway/checks/probes-for.ts';
import type { NodeHandle } from '../../gateway/main.ts';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { openApi } from './client.ts';

const it = bounded(test);

const { cluster, send } = await openApi(test, () =>
  startCluster({ nodes: 2, checks: { enabled: true, lookEveryMs: 5, firstWithinMs: 1 } }),
);

function endpointsAt(node: NodeHandle | undefined): readonly Endpoint[] {
  return [...(node?.cluster.board.topic('endpoints').values() ?? [])] as unknown as Endpoint[];
}

/** True once every check that an endpoint's declarations require was tried. */
function isTried(endpoint: Endpoint): boolean {
  return (
    endpoint.health === 'down' ||
    checksFor(endpoint).every((check) => endpoint.evidence.checks?.some((one) => one.check === check))
  );
}

const steady = (endpoints: readonly Endpoint[]) => endpoints.filter(({ model }) => !/flaky|down/.test(model));
const tools = (endpoints: readonly Endpoint[]) =>
  endpoints.filter((endpoint) => endpoint.supportedParameters.includes('tools') && !/flaky|down/.test(endpoint.model));

it('endpoints are verified soon after the start by their owning nodes, and every node has the results', async () => {
  const [first, second] = cluster.nodes;
  while (!endpointsAt(first).every(isTried) || !endpointsAt(second).every(isTried)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (const node of cluster.nodes) {
    assert.ok(tools(endpointsAt(node)).length > 0);
    for (const { model, evidence } of tools(endpointsAt(node))) assert.is(evidence.dispatchVerified, true, model);
    for (const { model, tag, evidence } of steady(endpointsAt(node))) {
      const { withheld, refutedEfforts, refutedInputs } = evidence;
      assert.equal([withheld, refutedEfforts, refutedInputs], [[], [], []], `${model} at ${tag}`);
    }
  }
  const owned = cluster.nodes.map((node) =>
    endpointsAt(node).filter(({ id }) => node.cluster.owns(endpointAddress(id))),
  );
  assert.ok(
    owned.every((endpoints) => endpoints.length > 0),
    'both nodes ran checks',
  );
});

it('checks are not billed and do not count against a rate: no account, no generation, no charge (rule C41)', async () => {
  const { key } = await cluster.fund('10');
  const answer = await send('/credits', { key });
  const { data } = (await answer.json()) as { data: { total_usage: number } };
  assert.is(data.total_usage, 0);
  const checked = cluster.simulators.flatMap(({ calls }) => calls);
  assert.ok(checked.length > 0);
  assert.ok(
    checked.every(
      ({ body }) => JSON.stringify(body).length < 1_000 && (body.max_tokens ?? body.max_completion_tokens ?? 0) <= 512,
    ),
  );
});

it('why explains the verified parameters, and inspect shows them', async () => {
  const [node] = cluster.nodes;
  const [endpoint] = tools(endpointsAt(node).filter(({ id }) => node?.cluster.owns(endpointAddress(id))));
  const seen = await node?.cluster.operator.inspect(endpointAddress(endpoint?.id ?? ''));
  const lines = seen?.explanation.join('\n') ?? '';
  assert.match(
    lines,
    /The check of tool_dispatch was last tried at .*: a streamed call was complete\. It has passed, .* which counts until /,
  );
  assert.match(JSON.stringify(seen?.context), /"tool_dispatch":\{"version":1/);
});

it('traffic through both nodes is measured, and both nodes and `why` show the same figures', async () => {
  const { key } = await cluster.fund('10');
  const calls = Array.from({ length: 24 }, async (_, nth) => {
    const answer = await send('/chat/completions', {
      key,
      body: {
        ...{ model: 'sim/vision', max_tokens: 40, stream: true, provider: { only: ['sim-b'] } },
        messages: [{ role: 'user', content: '@sim {"tokens": 20}' }],
      },
      node: nth % 2,
    });
    assert.is(answer.status, 200);
    await answer.text();
  });
  await Promise.all(calls);
  const shown = [await measuredAt(0, 24), await measuredAt(1, 24)];
  assert.equal(shown[0], shown[1]);
  const [figures] = shown as [Record<string, number & { readonly p50: number; readonly p99: number }>];
  assert.equal([figures.uptime_last_5m, figures.uptime_last_1d, figures.uptime_last_1d_samples], [100, 100, 24]);
  assert.equal([figures.latency_last_30m_samples, figures.throughput_last_30m_samples], [24, 24]);
  const { ttft_last_30m: ttft, throughput_last_30m: speed, response_last_1d: response } = figures;
  assert.ok(ttft && speed && response && ttft.p50 <= ttft.p99 && speed.p50 >= speed.p99 && response.p50 >= ttft.p50);
  assert.equal([figures.runaway_rate_1d, figures.tool_call_success_1d, figures.render_timing], [null, null, null]);
  const [node] = cluster.nodes;
  const endpoint = endpointsAt(node).find(seeing);
  const seen = await node?.cluster.operator.inspect(endpointAddress(endpoint?.id ?? ''));
  const lines = seen?.explanation.join('\n') ?? '';
  assert.ok(lines.includes('Uptime over the last day: 100 % of 24.'), lines);
  assert.ok(lines.includes(`Time to first token over the last half hour: p50 ${ttft?.p50}, p75 `), lines);
});

const seeing = ({ model, provider }: Endpoint): boolean => model === 'sim/vision' && provider.slug === 'sim-b';

/** The endpoint object once its node shows this many attempts: figures are published every few seconds. */
async function measuredAt(at: number, samples: number): Promise<Record<string, unknown>> {
  const shown = (): Endpoint | undefined => endpointsAt(cluster.nodes[at]).find(seeing);
  while (shown()?.measured.uptime1dSamples !== samples) await new Promise((resolve) => setTimeout(resolve, 50));
  const answer = await send('/models/sim/vision/endpoints', { key: null, node: at });
  const { data } = (await answer.json()) as { data: { endpoints: Record<string, unknown>[] } };
  return data.endpoints.find((one) => one.provider_slug === 'sim-b') ?? {};
}

/** Declares a model of the first simulated provider that violates its declaration, and waits until it was checked. */
async function declareViolating(violation: string, over: Partial<Endpoint>): Promise<string> {
  const [node] = cluster.nodes;
  const [like] = endpointsAt(node).filter(({ provider }) => provider.slug === 'sim-a');
  const { health, evidence, measured, ...declaration } = like as Endpoint;
  const id = `ep_${violation}`;
  const target = { ...declaration.target, upstreamId: `flawed/${violation}` };
  await declareEndpoint(
    node?.cluster as Cluster,
    { ...declaration, ...over, id, model: `flawed/${violation}`, target },
    10_000,
  );
  const shown = (): Endpoint | undefined => endpointsAt(node).find((endpoint) => endpoint.id === id);
  for (let endpoint = shown(); !endpoint || !isTried(endpoint); endpoint = shown()) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return `flawed/${violation}`;
}

it('an endpoint that fails a check receives no requests that need the failed parameter, and serves the rest (rule I111)', async () => {
  const { key } = await cluster.fund('10');
  const ask = async (model: string, members: object): Promise<{ status: number; rejection: unknown }> => {
    const answer = await send('/chat/completions', {
      key,
      body: { model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 16, ...members },
    });
    const body = (await answer.json()) as {
      error?: { metadata: { rejections?: { reason: string; member: string }[] } };
    };
    const [first] = body.error?.metadata.rejections ?? [];
    return { status: answer.status, rejection: first && `${first.reason} ${first.member}` };
  };
  const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } };
  const prose = await declareViolating('prose-for-tools', {
    supportedParameters: ['max_tokens', 'tool_choice', 'tools'],
  });
  assert.equal(await ask(prose, { tools: [tool] }), { status: 503, rejection: 'require_parameters tools' });
  assert.is((await ask(prose, {})).status, 200);

  const loose = await declareViolating('ignores-schema', {
    supportedParameters: ['max_tokens', 'response_format', 'structured_outputs'],
  });
  const schema = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } };
  assert.equal(await ask(loose, { response_format: schema }), {
    status: 503,
    rejection: 'require_parameters structured_outputs',
  });
  assert.is((await ask(loose, { response_format: { type: 'json_object' } })).status, 200);

  const thinker = await declareViolating('thinks-despite-none', {
    supportedParameters: ['max_tokens', 'reasoning', 'reasoning_effort'],
    reasoning: { efforts: ['high', 'low', 'none'], mandatory: false },
  });
  assert.equal(await ask(thinker, { reasoning_effort: 'none' }), {
    status: 503,
    rejection: 'reasoning_effort reasoning_effort',
  });
  assert.is((await ask(thinker, { reasoning_effort: 'low' })).status, 200);
});

it('required tool calls that callers do not receive disable tools on an endpoint (rule I129)', async () => {
  const { key } = await cluster.fund('10');
  const model = await declareViolating('none', { supportedParameters: ['max_tokens', 'tool_choice', 'tools'] });
  const shown = (): Endpoint['evidence'] =>
    (endpointsAt(cluster.nodes[1]).find(({ id }) => id === 'ep_none') as Endpoint).evidence;
  assert.equal([shown().withheld, shown().toolCallSuccess1dSamples], [[], 0]);
  const ask = async (directive: object) => {
    const answer = await send('/chat/completions', {
      key,
      body: {
        model,
        messages: [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }],
        tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
        tool_choice: 'required',
      },
    });
    const text = await answer.text();
    return { status: answer.status, text };
  };
  const statuses = [];
  for (let at = 0; at < 20; at++) statuses.push((await ask(at % 5 === 0 ? { garbage: 'prose' } : {})).status);
  assert.equal([...new Set(statuses)].sort(), [200, 502]);
  while (shown().toolCallSuccess1d === null) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(
    [shown().toolCallSuccess1d, shown().toolCallSuccess1dSamples, shown().withheld],
    [80, 20, ['tools', 'tool_choice']],
  );
  const refused = await ask({});
  assert.is(refused.status, 503);
  assert.match(refused.text, /"reason":"tool_fidelity"/);
});

it('results of checks outlive the node that ran them, and the checks are not repeated', async () => {
  const [leaving, staying] = cluster.nodes;
  const before = new Map(endpointsAt(staying).map(({ id, evidence }) => [id, JSON.stringify(evidence.checks)]));
  const calls = cluster.simulators.map((simulator) => simulator.calls.length);
  await leaving?.drain();
  while (!endpointsAt(staying).every(({ id }) => staying?.cluster.owns(endpointAddress(id)))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (const { id, evidence } of endpointsAt(staying)) assert.is(JSON.stringify(evidence.checks), before.get(id));
  assert.equal(
    cluster.simulators.map((simulator) => simulator.calls.length),
    calls,
  );
});

test.run();
