import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActorEvent, Cluster } from '../../../../actors/runtime/index.ts';
import { KeyAlarms } from '../../../../gateway/inference/reports/key-alarms.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { HandClock } from '../../../actors/runtime/durable/hand-clock.ts';

function opened() {
  const clock = new HandClock();
  const told: (readonly [string, ActorEvent])[] = [];
  const logged: string[] = [];
  const cluster = { tell: (to: string, event: ActorEvent) => void told.push([to, event]) } as unknown as Cluster;
  const alarms = new KeyAlarms({
    cluster,
    clock,
    log: ({ level, message }) => void logged.push(`${level} ${message}`),
  });
  return { alarms, clock, told, logged };
}

const REFUSED = new ProviderFailure('misconfigured', 'refused', 401);

test('a refused key is an alarm once a minute, until the provider answers again', () => {
  const { alarms, clock, told, logged } = opened();
  alarms.failed('alpha', REFUSED);
  alarms.failed('alpha', REFUSED);
  clock.advance(60_000);
  alarms.failed('alpha', REFUSED);
  alarms.served('beta');
  alarms.served('alpha');
  alarms.served('alpha');
  assert.equal(told, [
    ['provider:alpha', { type: 'key.refused', status: 401 }],
    ['provider:alpha', { type: 'key.refused', status: 401 }],
    ['provider:alpha', { type: 'key.accepted' }],
  ]);
  assert.equal(logged, [
    'error a provider refuses our key',
    'error a provider refuses our key',
    'info a provider accepts our key again',
  ]);
});

test('an account without credit or quota is the same alarm', () => {
  const { alarms, told } = opened();
  alarms.failed('alpha', new ProviderFailure('misconfigured', 'no credit', 402));
  alarms.failed('beta', new ProviderFailure('misconfigured', 'no quota', 429));
  assert.equal(told, [
    ['provider:alpha', { type: 'key.refused', status: 402 }],
    ['provider:beta', { type: 'key.refused', status: 429 }],
  ]);
});

test('an unknown model, an overload and a refused request are no alarm', () => {
  const { alarms, told } = opened();
  alarms.failed('alpha', new ProviderFailure('misconfigured', 'no such model', 404));
  alarms.failed('alpha', new ProviderFailure('overloaded', 'busy', 503));
  alarms.failed('alpha', new ProviderFailure('overloaded', 'slow down', 429));
  alarms.failed('alpha', new ProviderFailure('rejected', 'no', 403));
  assert.equal(told, []);
});

test.run();
