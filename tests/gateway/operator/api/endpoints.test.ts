import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC } from '../../../../actors/endpoint/endpoint.ts';
import { PROVIDERS_TOPIC } from '../../../../actors/provider/provider.ts';
import type { Json } from '../../../../actors/runtime/index.ts';
import { PAUSES_TOPIC } from '../../../../actors/terms/pause.ts';
import { endpointRoutes } from '../../../../gateway/operator/api/endpoints.ts';
import { bounded } from '../../../support/bounded.ts';
import { MemoryBoard } from '../../../support/memory-board.ts';
import { boardEndpoint } from '../../../support/model/endpoints.ts';
import { answerTo, clusterOf, openPort } from '../port.ts';

const it = bounded(test);
const percentiles = (p50: number) => ({ p50, p75: p50, p90: p50, p99: 2 * p50 });
const FAILURE = { category: 'unreachable', text: 'connection refused', at: 900, since: 500 };

const QUARANTINED = { address: 'endpoint:ep_broken', node: 'n1', fault: 'no JSON' };
const OPERATOR = { inspect: async () => null, ps: async () => ({ quarantined: [QUARANTINED] }) };

/** Three endpoints: one serves fast, one serves slowly, one is down. */
function market() {
  const of = (id: string, slug: string, model: string, more: object) => {
    const base = boardEndpoint(id, 'http://a');
    const measured = { ...base.measured, ...(more as { readonly measured?: object }).measured };
    return [id, { ...base, id, model, provider: { ...base.provider, slug }, ...more, measured }] as const;
  };
  const endpoints = new Map<string, Json>([
    of('ep_fast', 'alpha', 'sim/fast', { health: 'healthy', measured: { ttft30m: percentiles(0.1), uptime30m: 100 } }),
    of('ep_slow', 'alpha', 'sim/slow', { health: 'healthy', measured: { ttft30m: percentiles(3), uptime30m: 90 } }),
    of('ep_down', 'beta', 'sim/fast', { health: 'down', healthReason: 'connection refused.', lastFailure: FAILURE }),
  ] as unknown as readonly [string, Json][]);
  const providers = new Map<string, Json>([
    ['alpha', { slug: 'alpha', name: 'Alpha' }],
    ['beta', { slug: 'beta', name: 'Beta' }],
  ]);
  return { [ENDPOINTS_TOPIC]: endpoints, [PROVIDERS_TOPIC]: providers };
}

async function asked(target: string, topics: Readonly<Record<string, ReadonlyMap<string, Json>>>) {
  const port = await openPort(endpointRoutes);
  port.cluster = clusterOf({ board: new MemoryBoard(topics), operator: OPERATOR });
  const answer = await answerTo(port, 'GET', target);
  port.close();
  return { status: answer.slice(0, 3), body: JSON.parse(answer.slice(4)) };
}

it('a provider says how many of its endpoints serve, and why the others do not', async () => {
  const { body } = await asked('/api/providers', market());
  const [alpha, beta] = body.data;
  assert.is(alpha.health, 'healthy');
  assert.equal(alpha.why, ['2 of 2 serve.']);
  assert.is(beta.health, 'down');
  assert.equal(beta.why, ['0 of 1 serve: connection refused.']);
  assert.equal(beta.lastFailure, { category: 'unreachable', message: 'connection refused', at: 900, since: 500 });
});

it('endpoints are filtered, and sorted by what is worst', async () => {
  const ids = async (query: string) =>
    (await asked(`/api/endpoints${query}`, market())).body.data.map(({ id }: { readonly id: string }) => id);
  assert.equal(await ids(''), ['ep_broken', 'ep_fast', 'ep_down', 'ep_slow']);
  assert.equal(await ids('?order=latency'), ['ep_slow', 'ep_fast', 'ep_broken', 'ep_down']);
  assert.equal(await ids('?order=success'), ['ep_slow', 'ep_fast', 'ep_broken', 'ep_down']);
  assert.equal(await ids('?provider=beta'), ['ep_down']);
  assert.equal(await ids('?model=sim/fast&health=healthy'), ['ep_fast']);
  assert.is((await asked('/api/endpoints?order=age', market())).status, '400');
});

it('a page of endpoints goes on where the one before ended', async () => {
  const first = (await asked('/api/endpoints?limit=2', market())).body;
  assert.is(first.data.length, 2);
  const second = (await asked(`/api/endpoints?limit=2&cursor=${first.next}`, market())).body;
  assert.equal(
    second.data.map(({ id }: { readonly id: string }) => id),
    ['ep_down', 'ep_slow'],
  );
  assert.is(second.next, null);
});

it('a paused provider and its endpoints are shown as paused', async () => {
  const paused = { reason: 'maintenance', since: 5 };
  const topics = { ...market(), [PAUSES_TOPIC]: new Map<string, Json>([['alpha', paused]]) };
  const [alpha] = (await asked('/api/providers', topics)).body.data;
  assert.is(alpha.health, 'paused');
  assert.equal(alpha.paused, paused);
  const { data } = (await asked('/api/endpoints?provider=alpha', topics)).body;
  assert.equal(
    data.map(({ health }: { readonly health: string }) => health),
    ['paused', 'paused'],
  );
});

it('an endpoint that is not declared is absent', async () => {
  assert.is((await asked('/api/endpoints/ep_none', market())).status, '404');
});

test.run();
