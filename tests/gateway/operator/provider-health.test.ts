/** What a provider's outage consists of: how many endpoints serve, why the others do not, the model list, the last failure. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type EndpointRecord, emptyRecord } from '../../../actors/endpoint/record.ts';
import type { ActorsPage, ActorsQuery, Inspection } from '../../../actors/runtime/index.ts';
import { explained } from '../../../gateway/operator/explained.ts';
import { endpointsAt, explainProviderHealth, providerHealth } from '../../../gateway/operator/provider-health.ts';
import { bounded } from '../../support/bounded.ts';
import { DECLARATION } from '../../support/model/endpoints.ts';

const it = bounded(test);
const AT = Date.UTC(2026, 0, 2, 9, 51);
const REFUSED = {
  category: 'connect',
  text: 'connection refused (connect ECONNREFUSED 127.0.0.1:9)',
  since: AT,
  at: AT + 9_000,
};
const FAILED = { ...REFUSED, category: 'unavailable' };
const SLOW = { category: 'timeout', text: 'no answer within 60000 ms', since: AT + 1_000, at: AT + 60_000 };

function record(id: string, over: Partial<EndpointRecord> = {}): EndpointRecord {
  const recentBy = new Array<string>(over.recent?.length ?? 0).fill('');
  return { ...emptyRecord(`endpoint:${id}`), declaration: { ...DECLARATION, id }, recentBy, ...over };
}
const listed = (addresses: readonly string[]): ActorsPage => ({
  actors: addresses.map((address) => {
    const kind = address.slice(0, address.indexOf(':'));
    return { address, kind, shard: 0, version: 1, chart: 1, state: 'listed', since: 0, node: 'n1' };
  }),
  next: null,
});
const summaryOf = (...all: readonly EndpointRecord[]): string => providerHealth(all, null).summary;

it('counts the endpoints that serve, and names why the others do not, since when', () => {
  const down = (id: string, since = AT) => record(id, { list: { ...REFUSED, since, times: 4 } });
  assert.is(
    summaryOf(down('ep_1'), down('ep_2', AT + 5)),
    '0 of 2 serve: connection refused (connect ECONNREFUSED 127.0.0.1:9) since 2026-01-02T09:51:00.000Z',
  );
  const slow = record('ep_3', { recent: 'eeeee', lastFailure: SLOW });
  assert.is(
    summaryOf(down('ep_1'), slow, down('ep_2'), record('ep_4', { recent: 'sssss', servedAt: AT })),
    '1 of 4 serve: connection refused (connect ECONNREFUSED 127.0.0.1:9) since 2026-01-02T09:51:00.000Z (2); ' +
      'no answer within 60000 ms since 2026-01-02T09:51:01.000Z (1)',
  );
});

it('an endpoint serves until it is down, and one without enough attempts until its newest one failed', () => {
  assert.is(summaryOf(record('ep_1')), '1 of 1 serve', 'never asked');
  assert.is(summaryOf(record('ep_1', { lastFailure: FAILED, servedAt: AT + 10_000 })), '1 of 1 serve');
  assert.match(summaryOf(record('ep_1', { lastFailure: FAILED, servedAt: AT })), /^0 of 1 serve: connection refused/);
  const flaky = { recent: 'sssssssse', lastFailure: FAILED, servedAt: AT };
  assert.is(summaryOf(record('ep_1', flaky)), '1 of 1 serve', 'its attempts judge it');
  const paused = { reason: 'x', since: AT };
  assert.is(
    summaryOf(record('ep_1', { paused })),
    '0 of 1 serve: paused by the operator since 2026-01-02T09:51:00.000Z',
  );
  assert.match(
    providerHealth([record('ep_1'), record('ep_2')], paused).summary,
    /^0 of 2 serve: paused by the operator/,
  );
  assert.is(summaryOf(), '0 of 0 serve');
});

it('shows a failing model list beside endpoints that serve, and the newest failure of any of them', () => {
  const list = { ...SLOW, category: 'first-byte-timeout', times: 12 };
  const health = providerHealth(
    [
      record('ep_1', { recent: 'sssss', servedAt: SLOW.at, list, lastFailure: FAILED }),
      record('ep_2', { recent: 'sssss', servedAt: SLOW.at, lastFailure: SLOW }),
    ],
    null,
  );
  assert.equal([health.serving, health.lastFailure?.endpoint], [2, 'ep_2']);
  assert.equal(explainProviderHealth(health), [
    '2 of 2 serve.',
    'Its model list failed 12 times in a row since 2026-01-02T09:51:01.000Z, last at 2026-01-02T09:52:00.000Z: no answer within 60000 ms.',
    'The last failure of a request at ep_2 was at 2026-01-02T09:52:00.000Z, first at 2026-01-02T09:51:01.000Z: timeout, no answer within 60000 ms.',
  ]);
});

it('`why` of a provider sums up its own endpoints, and survives one that is quarantined', async () => {
  const inspections = new Map<string, Partial<Inspection>>([
    ['provider:a', { context: { slug: 'a', facts: {} } as never, explanation: ['A is declared.', 'More.'] }],
    ['endpoint:ep_1', { context: record('ep_1', { declaration: of('a'), lastFailure: FAILED }) as never }],
    ['endpoint:ep_2', { context: record('ep_2', { declaration: of('b'), lastFailure: SLOW }) as never }],
    ['endpoint:ep_3', { context: null, state: 'quarantined' }],
    ['endpoint:ep_4', { context: record('ep_4', { declaration: null }) as never }],
  ]);
  const operator = {
    inspect: async (address: string) => (inspections.get(address) ?? null) as Inspection | null,
    actors: async ({ kind }: ActorsQuery) =>
      listed([...inspections.keys()].filter((one) => one.startsWith(`${kind}:`))),
    ps: () => Promise.reject(new Error('not asked')),
    rows: async () => [],
    rowById: async () => null,
  };
  const found = await explained(operator, 'provider:a');
  assert.equal(found?.explanation, [
    'A is declared.',
    '0 of 1 serve: connection refused (connect ECONNREFUSED 127.0.0.1:9) since 2026-01-02T09:51:00.000Z.',
    'The last failure of a request at ep_1 was at 2026-01-02T09:51:09.000Z, first at 2026-01-02T09:51:00.000Z: unavailable, connection refused (connect ECONNREFUSED 127.0.0.1:9).',
    'More.',
  ]);
  assert.equal(endpointsAt('c', [...inspections.values()] as readonly Inspection[]), []);
});

function of(slug: string): EndpointRecord['declaration'] {
  return { ...DECLARATION, provider: { id: `prov_${slug}`, slug, name: slug } };
}

test.run();
