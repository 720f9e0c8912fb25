import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { plan } from '../../../gateway/routing/plan.ts';
import { bounded } from '../../support/bounded.ts';
import { board } from '../../support/model/endpoints.ts';
import { at, cheap, dear, measured, planned, slugs, slugsOf, turnOf } from './scene.ts';

const it = bounded(test);

const SEEDS = [0, 0.2, 0.4, 0.6, 0.8, 0.99];
const slots = (current: number, total: number) => ({ capacity: { current, total, reportedAt: 0 } });

it('endpoints with free slots come first, those with none left last (rule I128)', () => {
  const endpoints = [at('full', cheap, slots(4, 4)), at('silent', cheap), at('free', dear, slots(1, 4))];
  for (const seed of SEEDS) assert.equal(slugs({}, endpoints, seed), ['free', 'silent', 'full']);
});

it('a report counts for a minute, also where its endpoint publishes nothing more (rule C37)', () => {
  const endpoints = [at('full', cheap, slots(4, 4)), at('free', dear, slots(1, 4)), at('silent', cheap)];
  const turn = turnOf({});
  const firstAt = (now: number) =>
    slugsOf(plan(turn, board(...endpoints), 0.5, null, {}, undefined, { at: now, limited: new Map() }))[0] as string;
  assert.is(firstAt(60_000), 'free');
  // Equals: the dear one is hardly ever first.
  assert.is.not(firstAt(60_001), 'free');
});

it('health precedes uptime, uptime precedes free slots, free slots precede price (rule I128)', () => {
  const endpoints = [
    at('degraded', cheap, { health: 'degraded', ...slots(0, 4) }),
    at('unsteady', cheap, { ...measured({ uptime30m: 90 }), ...slots(0, 4) }),
    at('full', cheap, slots(4, 4)),
    at('free', dear, slots(0, 4)),
  ];
  for (const seed of SEEDS) assert.equal(slugs({}, endpoints, seed), ['free', 'full', 'unsteady', 'degraded']);
});

it('the uptime of the day applies if the last half hour has too few attempts', () => {
  const endpoints = [
    at('poor', cheap, measured({ uptime1d: 70 })),
    at('new', dear),
    at('well', dear, measured({ uptime30m: 99 })),
  ];
  for (const seed of SEEDS) assert.is(slugs({}, endpoints, seed)[2], 'poor');
});

it('a conversation stays at its endpoint, degraded or not, unless that is down or full (rule I126)', () => {
  const endpoints = (more: Partial<Endpoint>) => [at('a', cheap), at('b', dear, more), at('c', cheap)];
  const first = (more: Partial<Endpoint>) =>
    slugs({ session_id: 'talk' }, endpoints(more), 0.5, (endpoints(more)[1] as Endpoint).id)[0];
  assert.is(first({}), 'b');
  assert.is(first({ health: 'degraded' }), 'b');
  assert.is(first({ health: 'unknown' }), 'b');
  assert.is.not(first({ health: 'down' }), 'b');
  assert.is.not(first(slots(4, 4)), 'b');
});

it('an unknown conversation is placed among the best endpoints, the same on every node and every time (rule I127)', () => {
  const endpoints = ['a', 'b', 'c', 'd', 'e'].map((slug) => at(slug, cheap));
  const ill = at('ill', cheap, { health: 'degraded' });
  for (let n = 0; n < 100; n++) {
    const body = { session_id: `talk-${n}` };
    const [first] = slugs(body, [...endpoints, ill], 0.1);
    assert.is(
      slugs(body, [ill, ...endpoints].reverse(), 0.9)[0],
      first,
      'independent of the seed and the order of the board',
    );
    assert.is.not(first, 'ill');
    const others = endpoints.filter(({ provider }) => provider.slug !== 'e');
    if (first !== 'e')
      assert.is(slugs(body, others, 0.3)[0], first, 'the loss of another endpoint moves no conversation');
  }
});

it('prompt_cache_key and X-Session-Id name the same conversation as session_id (rule I125)', () => {
  const endpoints = ['a', 'b', 'c'].map((slug) => at(slug, cheap));
  for (const id of ['x', 'y', 'z', 'w']) {
    assert.equal(slugs({ prompt_cache_key: id }, endpoints, 0.1), slugs({ session_id: id }, endpoints, 0.9));
    assert.equal(slugs({ prompt_cache_key: 'other', session_id: id }, endpoints), slugs({ session_id: id }, endpoints));
  }
});

it('endpoints that can emit the ceiling precede the others, even cheaper or remembered ones (rule I117)', () => {
  const endpoints = [
    at('short', { ...cheap, maxCompletionTokens: 50 }),
    at('long', { ...dear, maxCompletionTokens: 500 }),
  ];
  const body = { max_tokens: 400, session_id: 'talk' };
  for (const seed of SEEDS) {
    assert.equal(slugs(body, endpoints, seed, (endpoints[0] as Endpoint).id), ['long', 'short']);
  }
});

it('a ceiling never exceeds the requested one, the declared one, or the rest of the window (rule I117)', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 40, max: 20_000 }),
      fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
      fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
      fc.nat({ max: 3_000 }),
      (contextLength, maxCompletionTokens, requestedMax, words) => {
        const body = {
          messages: [{ role: 'user', content: 'word '.repeat(words) }],
          ...(requestedMax === undefined ? {} : { max_tokens: requestedMax }),
        };
        const model = { contextLength, ...(maxCompletionTokens === undefined ? {} : { maxCompletionTokens }) };
        let found: ReturnType<typeof planned>;
        try {
          found = planned(body, [at('a', model)]);
        } catch (error) {
          assert.is((error as { type: string }).type, 'context_length_exceeded');
          return;
        }
        const [{ completionTokensMax: ceiling, prompt }] = found.candidates as [(typeof found.candidates)[number]];
        assert.ok(ceiling >= 1);
        assert.ok(ceiling <= Math.min(requestedMax ?? Infinity, maxCompletionTokens ?? Infinity));
        assert.ok(prompt.counted + ceiling <= contextLength);
      },
    ),
    { numRuns: 500 },
  );
});

it('an unpriced endpoint receives no share of the load beside priced ones, and serves when it is the only one', () => {
  const endpoints = [at('unpriced', { pricing: {} }), at('priced', dear)];
  for (const seed of SEEDS) assert.equal(slugs({}, endpoints, seed), ['priced', 'unpriced']);
  assert.equal(slugs({}, endpoints.slice(0, 1)), ['unpriced']);
});

it('the same arguments give the same plan (rule I130)', () => {
  const endpoints = ['a', 'b', 'c', 'd'].map((slug) => at(slug, cheap));
  for (const seed of SEEDS) assert.equal(planned({}, endpoints, seed), planned({}, endpoints, seed));
});

test.run();
