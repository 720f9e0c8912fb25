import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointKind } from '../../../actors/endpoint/endpoint.ts';
import { configurationOf } from '../../../actors/endpoint/evidence.ts';
import { type FailingList, healthOf, judge } from '../../../actors/endpoint/health.ts';
import type { HalfHour } from '../../../actors/endpoint/history.ts';
import { type EndpointRecord, KEEP_EVERY_MS, PUBLISH_EVERY_MS } from '../../../actors/endpoint/record.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { bounded } from '../../support/bounded.ts';
import { DECLARATION } from '../../support/model/endpoints.ts';
import { type Outcome, PureActors } from '../../support/model/pure-actors.ts';

const it = bounded(test);
const ADDRESS = 'endpoint:ep_1';
const START = 1_763_690_400_000;

function declared(): PureActors {
  const actors = new PureActors([endpointKind], START);
  declare(actors, 'one');
  return actors;
}

const declare = (actors: PureActors, digest: string, declaration: object = DECLARATION): Outcome =>
  actors.tell(ADDRESS, { type: 'endpoint.declare', declaration, digest } as never);
const attempts = (actors: PureActors, outcomes: string, at?: number): Outcome =>
  actors.tell(ADDRESS, {
    type: 'attempts.observed',
    attempts: [...outcomes].map((letter) => ({
      outcome: letter === 's' ? 'success' : letter === 'e' ? 'error' : 'other',
      streamed: true,
      ttftMs: 300,
      ...(at === undefined ? {} : { at }),
    })),
  } as never);
const REFUSED = { category: 'connect', text: 'connection refused (connect ECONNREFUSED 127.0.0.1:9)' };
const LATE = { category: 'first-byte-timeout', text: 'no answer within 2000 ms' };
const probe = (actors: PureActors, ok: boolean, failure = REFUSED): Outcome =>
  actors.tell(ADDRESS, { type: 'probe.observed', failure: ok ? null : failure } as never);
const shown = (outcome: Outcome): Endpoint | null => (outcome.published.at(-1)?.value ?? null) as Endpoint | null;

it('judges the newest 20 counted attempts at 90 and 60 percent, from 5 on (rule C38)', () => {
  const table: readonly (readonly [string, string])[] = [
    ['', 'unknown'],
    ['ssss', 'unknown'],
    ['eeee', 'unknown'],
    ['sssss', 'healthy'],
    ['eeeee', 'down'],
    [`${'s'.repeat(18)}ee`, 'healthy'],
    [`${'s'.repeat(17)}eee`, 'degraded'],
    [`${'s'.repeat(12)}${'e'.repeat(8)}`, 'degraded'],
    [`${'s'.repeat(11)}${'e'.repeat(9)}`, 'down'],
  ];
  for (const [recent, health] of table) assert.is(healthOf({ recent, by: [] }), health, recent);
});

it('failures of one account neither displace the outcomes of others nor judge the endpoint alone', () => {
  const actors = declared();
  const from = (by: string, outcomes: string): Outcome =>
    actors.tell(ADDRESS, {
      type: 'attempts.observed',
      attempts: [...outcomes].map((letter) => ({ outcome: letter === 's' ? 'success' : 'error', streamed: true, by })),
    } as never);
  from('a', 'sssss');
  from('b', 'sssss');
  from('c', 'sssss');
  from('evil', 'e'.repeat(900));
  assert.is(actors.state(ADDRESS), 'degraded');
  assert.is(actors.context<EndpointRecord>(ADDRESS).recent, `${'s'.repeat(15)}eeeee`);
  // One success of another account is enough; a second account that fails says that the endpoint does.
  const quiet = declared();
  const told = (by: string, outcomes: string): Outcome =>
    quiet.tell(ADDRESS, {
      type: 'attempts.observed',
      attempts: [...outcomes].map((letter) => ({ outcome: letter === 's' ? 'success' : 'error', streamed: true, by })),
    } as never);
  told('evil', 'e'.repeat(900));
  assert.is(quiet.state(ADDRESS), 'down', 'an account that asks alone judges alone');
  told('a', 's');
  assert.is(quiet.state(ADDRESS), 'degraded');
  told('a', 'e');
  assert.is(quiet.state(ADDRESS), 'down');
  told('a', 'sssss');
  told('b', 'sssss');
  told('c', 'sssss');
  told('d', 'sssss');
  assert.is(quiet.state(ADDRESS), 'healthy');
});

it('attempts without an account judge together', () => {
  const actors = declared();
  attempts(actors, 'sssss');
  attempts(actors, 'e'.repeat(20));
  assert.is(actors.state(ADDRESS), 'down');
  assert.is(actors.context<EndpointRecord>(ADDRESS).recent, 'e'.repeat(20));
});

it('consecutive probe failures lower health and never raise it (rule C39)', () => {
  const list = (times: number): FailingList => ({ ...LATE, times, since: START, at: START });
  const after = (recent: string, times: number) => judge({ recent, by: [], servedAt: null, list: list(times) });
  const healthy = 's'.repeat(20);
  assert.equal(after(healthy, 1), { health: 'healthy', by: 'attempts' });
  assert.equal(after(healthy, 2), { health: 'degraded', by: 'list' });
  assert.equal(after(healthy, 3), { health: 'degraded', by: 'list' });
  assert.equal(after(healthy, 4), { health: 'down', by: 'list' });
  assert.equal(after('', 1), { health: 'unknown', by: 'few' });
  assert.equal(after('', 2), { health: 'degraded', by: 'list' });
  assert.equal(after('eeeee', 2), { health: 'down', by: 'attempts' });
});

it('paid answers of the last minutes outrank a failing model list; where no server is reached, answers since then do (rule C39)', () => {
  const minutes = 60_000;
  const judged = (servedAgoMs: number, failure: object, since = START - 2 * minutes) => {
    const list = { ...(failure as typeof LATE), times: 9, since, at: START };
    return judge({ recent: 's'.repeat(20), by: [], servedAt: START - servedAgoMs, list }).health;
  };
  assert.is(judged(0, LATE), 'healthy');
  assert.is(judged(5 * minutes, LATE), 'healthy');
  assert.is(judged(5 * minutes + 1, LATE), 'down');
  assert.is(judged(-minutes, LATE), 'healthy', 'an answer after the newest probe');
  assert.is(judged(4 * minutes, { category: 'status', text: 'status 503' }), 'healthy');
  for (const category of ['connect', 'connect-timeout']) {
    assert.is(judged(4 * minutes, { category, text: 'x' }), 'down', 'answered before the server was gone');
    assert.is(judged(minutes, { category, text: 'x' }), 'healthy', 'answered since, on another of its addresses');
  }
});

it('an endpoint that answers 20 of 20 serves while the model list of its provider times out', () => {
  const actors = declared();
  attempts(actors, 's'.repeat(20));
  for (let round = 0; round < 10; round++) {
    actors.now += 1_000;
    probe(actors, false, LATE);
    assert.is(actors.state(ADDRESS), 'healthy', `probe ${round}`);
  }
  assert.equal(actors.explain(ADDRESS).slice(0, 3), [
    'author/model at Alpha is healthy.',
    '20 of its newest 20 attempts succeeded (90 % is healthy, 60 % degraded).',
    "Its provider's model list failed 10 times in a row since 2025-11-21T02:00:01.000Z, last at 2025-11-21T02:00:10.000Z: no answer within 2000 ms. A paid request was answered at 2025-11-21T02:00:00.000Z, which outranks it.",
  ]);
  actors.now += 6 * 60_000;
  const quiet = shown(probe(actors, false, LATE));
  assert.is(quiet?.health, 'down', 'without a paid answer for minutes the list decides');
  const reason =
    "Its provider's model list failed 11 times in a row since 2025-11-21T02:00:01.000Z, last at 2025-11-21T02:06:10.000Z: no answer within 2000 ms; 2 in a row make it degraded, 4 down.";
  assert.is(quiet?.healthReason, reason, 'the reason is the fact that decides');
  assert.is(actors.explain(ADDRESS)[1], reason);
  assert.is(shown(attempts(actors, 's'))?.health, 'healthy', 'one paid answer ends that');
});

it('keeps its last failure with category, text, time and since when, also of calls that do not count', () => {
  const actors = declared();
  const last = () => actors.context<EndpointRecord>(ADDRESS).lastFailure;
  const fail = (outcome: string, category: string, text: string) =>
    actors.tell(ADDRESS, {
      type: 'attempts.observed',
      attempts: [{ outcome, streamed: false, failure: { category, text } }],
    } as never);
  assert.is(last(), null);
  fail('error', 'unavailable', REFUSED.text);
  actors.now += 60_000;
  fail('error', 'unavailable', REFUSED.text);
  assert.equal(last(), { category: 'unavailable', text: REFUSED.text, since: START, at: START + 60_000 });
  fail('other', 'overloaded', 'status 429: rate limit reached');
  assert.equal(last(), {
    ...{ category: 'overloaded', text: 'status 429: rate limit reached' },
    ...{ since: START + 60_000, at: START + 60_000 },
  });
  actors.now += 1;
  attempts(actors, 's');
  assert.is(last()?.category, 'overloaded', 'a success does not remove it');
  assert.match(
    actors.explain(ADDRESS).join('\n'),
    /\nThe last failure of a request was at 2025-11-21T02:01:00.000Z: overloaded, status 429: rate limit reached. It answered again at 2025-11-21T02:01:00.001Z./,
  );
  actors.now += 1;
  fail('error', 'overloaded', 'x'.repeat(10_000));
  assert.is(last()?.since, actors.now, 'a success ends the run');
  assert.is(last()?.text.length, 240);
  actors.now += KEEP_EVERY_MS;
  assert.ok(fail('other', 'overloaded', 'status 429').durable, 'kept like the attempts');
});

it('a failure that is reported late neither replaces a newer one nor runs back', () => {
  const actors = declared();
  const fail = (at: number) =>
    actors.tell(ADDRESS, {
      type: 'attempts.observed',
      attempts: [{ outcome: 'error', streamed: false, at, failure: { category: 'timeout', text: `at ${at}` } }],
    } as never);
  fail(START - 1_000);
  fail(START - 2_000);
  assert.is(actors.context<EndpointRecord>(ADDRESS).lastFailure?.at, START - 1_000);
});

it('its state follows its health, and each change is published at once', () => {
  const actors = declared();
  assert.is(actors.state(ADDRESS), 'unknown');
  assert.is(shown(attempts(actors, 'sssss'))?.health, 'healthy');
  assert.is(actors.state(ADDRESS), 'healthy');
  assert.is(shown(attempts(actors, 'ee'))?.health, 'degraded');
  assert.is(shown(attempts(actors, 'eeeeeee'))?.health, 'down');
  assert.is(shown(attempts(actors, 's'.repeat(20)))?.health, 'healthy');
  assert.is(actors.context<EndpointRecord>(ADDRESS).recent, 's'.repeat(20));
});

it('is lowered by failed probes and restored by a successful one', () => {
  const actors = declared();
  attempts(actors, 'ssssssssss');
  actors.now += 1_000;
  assert.equal(probe(actors, false).published, []);
  assert.is(shown(probe(actors, false))?.health, 'degraded');
  probe(actors, false);
  assert.is(shown(probe(actors, false))?.health, 'down');
  assert.is(shown(probe(actors, true))?.health, 'healthy');
});

it('ignores outcomes of other kinds', () => {
  const actors = declared();
  attempts(actors, 'o'.repeat(30));
  assert.is(actors.state(ADDRESS), 'unknown');
  assert.is(actors.context<EndpointRecord>(ADDRESS).recent, '');
});

it('publishes figures at most every few seconds, and only when they changed', () => {
  const actors = declared();
  attempts(actors, 's'.repeat(5));
  assert.equal(attempts(actors, 's'.repeat(5)).published, []);
  actors.now += PUBLISH_EVERY_MS;
  const endpoint = shown(attempts(actors, 's'));
  assert.is(endpoint?.measured.uptime5m, 100);
  assert.is(endpoint?.measured.uptime5mSamples, 11);
  assert.ok(Math.abs((endpoint?.measured.ttft30m?.p50 as number) - 0.3) < 0.006);
  actors.now += PUBLISH_EVERY_MS;
  assert.equal(probe(actors, true).published, []);
  actors.now += 31 * 60_000;
  assert.is(shown(probe(actors, true))?.measured.ttft30m, null, 'windows advance with the probes');
});

it('commits declarations but no measurements', () => {
  const actors = new PureActors([endpointKind], START);
  assert.ok(declare(actors, 'one').durable);
  assert.equal(declare(actors, 'one').reply, { changed: false });
  assert.not(attempts(actors, 'sssss').durable);
  assert.not(probe(actors, false).durable);
  assert.not(actors.tell(ADDRESS, { type: 'actor.activated' }).durable);
});

it('keeps its observations with a commit every half minute, and the course of half hours in rows', () => {
  const actors = declared();
  assert.not(attempts(actors, 'sssss').durable);
  actors.now += KEEP_EVERY_MS - 1;
  assert.not(attempts(actors, 'sssss').durable);
  actors.now += 1;
  assert.ok(probe(actors, true).durable, 'a probe too ends the half minute');
  const row = [...actors.rows].find(([key]) => key.includes('history'))?.[1] as unknown as HalfHour;
  assert.equal([row.start, row.success, row.error, row.throughput], [START, 10, 0, null]);
  assert.is(row.ttft?.p50, actors.context<EndpointRecord>(ADDRESS).measured.ttft30m?.p50);
  actors.now += KEEP_EVERY_MS;
  assert.not(probe(actors, true).durable, 'nothing was observed since');
  assert.not(attempts(actors, 'e').durable);
});

it('publishes a report of capacity at once, for one minute (rule C37)', () => {
  const actors = declared();
  const report = actors.tell(ADDRESS, { type: 'capacity.reported', current: 3, total: 8 } as never);
  assert.not(report.durable);
  assert.equal(shown(report)?.capacity, { current: 3, total: 8, reportedAt: START });
  actors.now += 60_000;
  assert.equal(probe(actors, true).published, [], 'a report of exactly one minute counts');
  actors.now += PUBLISH_EVERY_MS;
  const late = shown(probe(actors, true)) as Endpoint;
  assert.not('capacity' in late);
  assert.is(actors.context<EndpointRecord>(ADDRESS).capacity, null);
});

it('records the newest benchmark run of each data set, until the serving configuration changes', () => {
  const actors = declared();
  const configuration = configurationOf(DECLARATION);
  const ran = (dataset: string, score: number, under = configuration): Outcome =>
    actors.tell(ADDRESS, {
      ...{ type: 'benchmark.observed', dataset, score, samples: 40, configuration: under },
    } as never);
  ran('a', 50);
  const outcome = ran('a', 62.5);
  assert.ok(outcome.durable);
  assert.equal(shown(outcome)?.evidence.benchmarks, [{ dataset: 'a', score: 62.5, samples: 40, ranAt: START }]);
  assert.equal(ran('a', 99, 'another').published, []);
  for (let at = 0; at < 20; at++) ran(`set ${at}`, at);
  assert.is(actors.context<EndpointRecord>(ADDRESS).findings.benchmarks.length, 16);
  assert.equal(shown(declare(actors, 'two', { ...DECLARATION, quantization: 'fp8' }))?.evidence.benchmarks, []);
});

it('publishes a new declaration with its health, and itself on every activation', () => {
  const actors = declared();
  attempts(actors, 'sssss');
  const endpoint = shown(declare(actors, 'two', { ...DECLARATION, contextLength: 64_000 }));
  assert.is(endpoint?.contextLength, 64_000);
  assert.is(endpoint?.health, 'healthy');
  assert.is(actors.state(ADDRESS), 'healthy');
  assert.equal(shown(actors.tell(ADDRESS, { type: 'actor.activated' })), endpoint);
});

it('leaves the board when withdrawn and ignores observations until it is declared again', () => {
  const actors = declared();
  attempts(actors, 'sssss');
  const withdrawn = actors.tell(ADDRESS, { type: 'endpoint.withdraw' });
  assert.is(withdrawn.published.at(-1)?.value, null);
  assert.equal(attempts(actors, 'eeeeeeeeee').published, []);
  assert.is(actors.state(ADDRESS), 'withdrawn');
  assert.match(actors.explain(ADDRESS)[0] as string, /withdrawn/);
  assert.is(shown(declare(actors, 'one'))?.health, 'healthy');
});

it('stays within its bound of bytes for any input', () => {
  const actors = declared();
  for (let minute = 0; minute < 150; minute++) {
    actors.now += minute < 100 ? 12 * 60_000 : 60_000;
    actors.tell(ADDRESS, {
      type: 'attempts.observed',
      attempts: Array.from({ length: 20 }, (_, i) => ({
        outcome: 'success',
        streamed: true,
        ttftMs: 1.3 ** (i + (minute % 40)),
        completionTokens: 16 + i * 1_000,
        durationMs: 1 + 1.4 ** (i + (minute % 30)),
      })),
    } as never);
  }
  const bytes = JSON.stringify(actors.context(ADDRESS)).length;
  assert.ok(bytes < 190_000, `${bytes} bytes`);
});

it('explains its health in sentences', () => {
  const actors = declared();
  attempts(actors, 'sssssssees');
  probe(actors, false);
  assert.equal(actors.explain(ADDRESS), [
    'author/model at Alpha is degraded.',
    '8 of its newest 10 attempts succeeded (90 % is healthy, 60 % degraded).',
    "Its provider's model list failed at 2025-11-21T02:00:00.000Z: connection refused (connect ECONNREFUSED 127.0.0.1:9); that lowers no health now.",
    'Uptime over the last five minutes: 80 % of 10.',
    'Uptime over the last half hour: 80 % of 10.',
    'Uptime over the last day: 80 % of 10.',
    'Uptime over the last week: 80 %.',
    'Time to first token over the last half hour: p50 0.2951, p75 0.2951, p90 0.2951, p99 0.2951 s.',
    'Time to first token over the last day: p50 0.2951, p75 0.2951, p90 0.2951, p99 0.2951 s.',
  ]);
});

test.run();
