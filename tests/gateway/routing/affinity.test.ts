import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { Affinity, MOVED_TOPIC, PLACED_TOPIC } from '../../../gateway/routing/affinity.ts';
import { endpointIndex } from '../../../gateway/routing/endpoints/endpoint-index.ts';
import { plan } from '../../../gateway/routing/plan.ts';
import { firstOf } from '../../../gateway/routing/rendezvous.ts';
import { bounded } from '../../support/bounded.ts';
import { MemoryBoard } from '../../support/memory-board.ts';
import { board } from '../../support/model/endpoints.ts';
import { at, cheap, measured, slugsOf, turnOf } from './scene.ts';

const it = bounded(test);
const ACCOUNT = 'account:a';
const MODEL = 'm/one';

function open(...endpoints: readonly Endpoint[]): { shared: MemoryBoard; affinity: Affinity } {
  const shared = new MemoryBoard({ [ENDPOINTS_TOPIC]: board(...endpoints) });
  return { shared, affinity: new Affinity(shared) };
}

const topicsOf = ({ published }: MemoryBoard): string[] => published.map(([topic]) => topic);
const lastOf = (affinity: Affinity, id: string, account = ACCOUNT): string | null | undefined =>
  affinity.recall(account, id)?.lastOf(MODEL);

/** The endpoint that a conversation without any memory is placed at. */
function firstFor(id: string, endpoints: readonly Endpoint[]): Endpoint {
  const indexed = endpointIndex(board(...endpoints)).models.get(MODEL) ?? [];
  return firstOf(`${ACCOUNT}\n${id}`, indexed)?.endpoint as Endpoint;
}

it('publishes who served a conversation once, and again only for another endpoint', () => {
  const endpoints = ['a', 'b', 'c'].map((slug) => at(slug, cheap));
  const { shared, affinity } = open(...endpoints);
  const first = firstFor('talk', endpoints);
  const [other] = endpoints.filter(({ id }) => id !== first.id) as [Endpoint];
  for (let turn = 0; turn < 3; turn++) affinity.remember(ACCOUNT, 'talk', first);
  assert.equal(topicsOf(shared), [PLACED_TOPIC]);
  for (let turn = 0; turn < 3; turn++) affinity.remember(ACCOUNT, 'talk', other);
  assert.is(lastOf(affinity, 'talk'), other.id);
  for (let turn = 0; turn < 3; turn++) affinity.remember(ACCOUNT, 'talk', first);
  assert.is(lastOf(affinity, 'talk'), first.id);
  assert.equal(topicsOf(shared), [PLACED_TOPIC, MOVED_TOPIC, MOVED_TOPIC]);
});

it('separates accounts, conversations and models, and ignores turns without a conversation', () => {
  const one = at('a', cheap);
  const two = at('b', { ...cheap, id: 'm/two' });
  const { shared, affinity } = open(one, two);
  affinity.remember(ACCOUNT, undefined, one);
  assert.is(affinity.recall(ACCOUNT, undefined), null);
  affinity.remember(ACCOUNT, 'talk', one);
  affinity.remember(ACCOUNT, 'talk', two);
  assert.is(affinity.recall(ACCOUNT, 'talk')?.lastOf('m/two'), two.id);
  assert.equal(
    [lastOf(affinity, 'talk'), lastOf(affinity, 'other'), lastOf(affinity, 'talk', 'account:b')],
    [one.id, null, null],
  );
  assert.is(shared.published.length, 2);
  assert.ok(
    shared.published.every(([, key]) => !key.includes('talk')),
    'ids of callers stay out of the keys',
  );
});

it('a conversation stays at its endpoint while uptime, health, capacity of others, prices and the catalogue change (rule I126)', () => {
  const endpoints = ['a', 'b', 'c', 'd'].map((slug) => at(slug, cheap));
  const { shared, affinity } = open(...endpoints);
  const turn = turnOf({ session_id: 'talk' });
  const planned = (): string[] =>
    slugsOf(plan(turn, shared.topic(ENDPOINTS_TOPIC), 0.5, affinity.recall(ACCOUNT, turn.conversation)));
  const served = firstFor('talk', endpoints);
  assert.is(planned()[0], served.provider.slug);
  affinity.remember(ACCOUNT, 'talk', served);
  const changed = (more: Partial<Endpoint>, others: Partial<Endpoint> = {}): readonly Endpoint[] =>
    endpoints.map((each) => ({ ...each, ...(each.id === served.id ? more : others) }));
  const boards: readonly (readonly Endpoint[])[] = [
    changed(measured({ uptime30m: 91 }), measured({ uptime30m: 100 })),
    changed({ health: 'degraded' }),
    changed({}, { capacity: { current: 0, total: 9, reportedAt: 0 } }),
    changed({ tariff: { ...served.tariff, prompt: '0.0001' } }),
    [...endpoints, ...Array.from({ length: 40 }, (_, n) => at(`new${n}`, cheap))],
  ];
  for (const each of boards) {
    shared.set(ENDPOINTS_TOPIC, board(...each));
    assert.is(planned()[0], served.provider.slug);
  }
});

it('new conversations share the load by price, as turns without a conversation do (rule I127)', () => {
  const endpoints = [at('a', cheap), at('b', { pricing: { prompt: '0.000002', completion: '0.000002' } })];
  let atA = 0;
  for (let n = 0; n < 4_000; n++) if (firstFor(`talk-${n}`, endpoints).provider.slug === 'a') atA++;
  assert.ok(Math.abs(atA - 3_200) < 160, `${atA} of 4,000 instead of about 3,200`);
});

it('equals share new conversations evenly, in any order of the board', () => {
  const endpoints = Array.from({ length: 8 }, (_, n) => at(`p${n}`, cheap));
  const counts = new Map<string, number>();
  for (let n = 0; n < 8_000; n++) {
    const { id } = firstFor(`talk-${n}`, endpoints);
    assert.is(firstFor(`talk-${n}`, [...endpoints].reverse()).id, id);
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  assert.is(counts.size, 8);
  for (const count of counts.values()) assert.ok(Math.abs(count - 1_000) < 150, [...counts.values()].join());
});

it('unpriced endpoints come after priced ones, in the same order everywhere', () => {
  const unpriced = ['a', 'b', 'c'].map((slug) => at(slug, { pricing: {} }));
  const firsts = new Set<string>();
  for (let n = 0; n < 100; n++) {
    assert.is(firstFor(`talk-${n}`, [...unpriced, at('priced', cheap)]).provider.slug, 'priced');
    assert.is(firstFor(`talk-${n}`, unpriced).id, firstFor(`talk-${n}`, [...unpriced].reverse()).id);
    firsts.add(firstFor(`talk-${n}`, unpriced).id);
  }
  assert.is(firsts.size, 3);
});

test.run();
