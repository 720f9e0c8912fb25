import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointKind } from '../../../actors/endpoint/endpoint.ts';
import { healthOf } from '../../../actors/endpoint/health.ts';
import { type EndpointRecord, PUBLISH_EVERY_MS } from '../../../actors/endpoint/record.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { bounded } from '../../support/bounded.ts';
import { DECLARATION } from '../../support/model/declaration.ts';
import { House, type Outcome } from '../../support/model/house.ts';

const it = bounded(test, 10_000);
const ADDRESS = 'endpoint:ep_1';
const START = 1_763_690_400_000;

function declared(): House {
  const house = new House([endpointKind], START);
  declare(house, 'one');
  return house;
}

const declare = (house: House, digest: string, declaration: object = DECLARATION): Outcome =>
  house.tell(ADDRESS, { type: 'endpoint.declare', declaration, digest } as never);
const attempts = (house: House, outcomes: string, at?: number): Outcome =>
  house.tell(ADDRESS, {
    type: 'attempts.observed',
    attempts: [...outcomes].map((letter) => ({
      outcome: letter === 's' ? 'success' : letter === 'e' ? 'error' : 'other',
      streamed: true,
      ttftMs: 300,
      ...(at === undefined ? {} : { at }),
    })),
  } as never);
const probe = (house: House, ok: boolean): Outcome => house.tell(ADDRESS, { type: 'probe.observed', ok } as never);
const shown = (outcome: Outcome): Endpoint | null => (outcome.published.at(-1)?.value ?? null) as Endpoint | null;

it('judges the newest 20 counted attempts at 90 and 60 percent, from 5 on', () => {
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
  for (const [recent, health] of table) assert.is(healthOf(recent, 0), health, recent);
});

it('consecutive probe failures lower health and never raise it', () => {
  const healthy = 's'.repeat(20);
  assert.is(healthOf(healthy, 1), 'healthy');
  assert.is(healthOf(healthy, 2), 'degraded');
  assert.is(healthOf(healthy, 3), 'degraded');
  assert.is(healthOf(healthy, 4), 'down');
  assert.is(healthOf('', 1), 'unknown');
  assert.is(healthOf('', 2), 'degraded');
  assert.is(healthOf('eeeee', 2), 'down');
});

it('its state follows its health, and each change is published at once', () => {
  const house = declared();
  assert.is(house.state(ADDRESS), 'unknown');
  assert.is(shown(attempts(house, 'sssss'))?.health, 'healthy');
  assert.is(house.state(ADDRESS), 'healthy');
  assert.is(shown(attempts(house, 'ee'))?.health, 'degraded');
  assert.is(shown(attempts(house, 'eeeeeee'))?.health, 'down');
  assert.is(shown(attempts(house, 's'.repeat(20)))?.health, 'healthy');
  assert.is(house.context<EndpointRecord>(ADDRESS).recent, 's'.repeat(20));
});

it('is lowered by failed probes and restored by a successful one', () => {
  const house = declared();
  attempts(house, 'ssssssssss');
  assert.equal(probe(house, false).published, []);
  assert.is(shown(probe(house, false))?.health, 'degraded');
  probe(house, false);
  assert.is(shown(probe(house, false))?.health, 'down');
  assert.is(shown(probe(house, true))?.health, 'healthy');
});

it('ignores outcomes of other kinds', () => {
  const house = declared();
  attempts(house, 'o'.repeat(30));
  assert.is(house.state(ADDRESS), 'unknown');
  assert.is(house.context<EndpointRecord>(ADDRESS).recent, '');
});

it('publishes figures at most every few seconds, and only when they changed', () => {
  const house = declared();
  attempts(house, 's'.repeat(5));
  assert.equal(attempts(house, 's'.repeat(5)).published, []);
  house.now += PUBLISH_EVERY_MS;
  const endpoint = shown(attempts(house, 's'));
  assert.is(endpoint?.measured.uptime5m, 100);
  assert.is(endpoint?.measured.uptime5mSamples, 11);
  assert.ok(Math.abs((endpoint?.measured.ttft30m?.p50 as number) - 0.3) < 0.006);
  house.now += PUBLISH_EVERY_MS;
  assert.equal(probe(house, true).published, []);
  house.now += 31 * 60_000;
  assert.is(shown(probe(house, true))?.measured.ttft30m, null, 'windows advance with the probes');
});

it('commits declarations but no measurements', () => {
  const house = new House([endpointKind], START);
  assert.ok(declare(house, 'one').durable);
  assert.equal(declare(house, 'one').reply, { changed: false });
  assert.not(attempts(house, 'sssss').durable);
  assert.not(probe(house, false).durable);
  assert.not(house.tell(ADDRESS, { type: 'actor.activated' }).durable);
});

it('publishes a new declaration with its health, and itself on every activation', () => {
  const house = declared();
  attempts(house, 'sssss');
  const endpoint = shown(declare(house, 'two', { ...DECLARATION, contextLength: 64_000 }));
  assert.is(endpoint?.contextLength, 64_000);
  assert.is(endpoint?.health, 'healthy');
  assert.is(house.state(ADDRESS), 'healthy');
  assert.equal(shown(house.tell(ADDRESS, { type: 'actor.activated' })), endpoint);
});

it('leaves the board when withdrawn and ignores observations until it is declared again', () => {
  const house = declared();
  attempts(house, 'sssss');
  const withdrawn = house.tell(ADDRESS, { type: 'endpoint.withdraw' });
  assert.is(withdrawn.published.at(-1)?.value, null);
  assert.equal(attempts(house, 'eeeeeeeeee').published, []);
  assert.is(house.state(ADDRESS), 'withdrawn');
  assert.match(house.explain(ADDRESS)[0] as string, /withdrawn/);
  assert.is(shown(declare(house, 'one'))?.health, 'healthy');
});

it('stays within its bound of bytes for any input', () => {
  const house = declared();
  for (let minute = 0; minute < 150; minute++) {
    house.now += minute < 100 ? 12 * 60_000 : 60_000;
    house.tell(ADDRESS, {
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
  const bytes = JSON.stringify(house.context(ADDRESS)).length;
  assert.ok(bytes < 190_000, `${bytes} bytes`);
});

it('explains its health in sentences', () => {
  const house = declared();
  attempts(house, 'sssssssees');
  probe(house, false);
  assert.equal(house.explain(ADDRESS), [
    'author/model at Alpha is degraded.',
    '8 of its newest 10 attempts succeeded (90 % is healthy, 60 % degraded).',
    'Its last 1 probes failed: 2 in a row make it degraded, 4 down; one success clears them.',
    'Uptime over the last half hour: 80 %.',
    'Time to first token over the last half hour: p50 0.2951 s, p99 0.2951 s.',
  ]);
});

test.run();
