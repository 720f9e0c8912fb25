import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds, kindsWith } from '../../actors/kinds.ts';
import { register } from '../../actors/runtime/actor/charts/register.ts';
import { USUAL_RETENTION } from '../../actors/terms/retention.ts';
import { bounded } from '../support/bounded.ts';

const it = bounded(test);

it('registers every kind of the marketplace, each under its own name', () => {
  const names = kinds.map((kind) => register(kind).name);
  assert.equal(names, [
    'account',
    'key',
    'file',
    'batch',
    'video-job',
    'webhook',
    'signing',
    'audit',
    'workspace',
    'session',
    'invitation',
    'issuance-code',
    'payment',
    'transaction',
    'refusal-log',
    'cluster-log',
    'rate-window',
    'provider',
    'endpoint',
  ]);
});

it('each chart handles every event that its kind lists for lanes and creation', () => {
  for (const kind of kinds) {
    const { eventTypes } = register(kind);
    for (const type of [...kind.creates, ...kind.finishes, ...kind.volatile]) {
      assert.ok(eventTypes === null || eventTypes.has(type), `${kind.name}: ${type}`);
    }
    if (kind.leaseRows) assert.ok(eventTypes === null || eventTypes.has(kind.leaseRows.event));
    if (kind.resident) assert.ok(eventTypes === null || eventTypes.has('actor.activated'));
  }
});

it('generations are kept for 90 days, activity for 400 and history for 7, or as configured', () => {
  const kept = (of: typeof kinds) =>
    [of[0]?.collections.generation, of[1]?.collections.usage].map((each) => each?.retentionMs);
  const day = 86_400_000;
  assert.equal(kept(kinds), [90 * day, 400 * day]);
  assert.equal(kept(kindsWith({ ...USUAL_RETENTION, generations: 1, activity: 31, history: 2 })), [day, 31 * day]);
  assert.equal(kept(kindsWith({ ...USUAL_RETENTION, generations: null, activity: null, history: 2 })), [null, null]);
  const recorded = (of: typeof kinds) => new Set(of.flatMap(({ history }) => history?.days ?? []));
  assert.equal([...recorded(kinds)], [7]);
  assert.equal([...recorded(kindsWith({ ...USUAL_RETENTION, generations: 1, activity: 31, history: 2 }))], [2]);
});

test.run();
