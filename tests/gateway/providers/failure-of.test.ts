import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutboundError } from '../../../gateway/outbound/outbound-error.ts';
import { failureOf, statusFailure } from '../../../gateway/providers/failure-of.ts';
import { inBandFailure } from '../../../gateway/providers/in-band-failure.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('a call beyond our own bound is an overload, is not repeated there and does not count against the endpoint (rule I133)', () => {
  const ours = failureOf(new OutboundError('saturated', 'full'), null);
  assert.is(ours.reason, 'overloaded');
  assert.is(ours.repeatable, false);
  assert.is(ours.counted, false);
});

it('a slow or unreachable server counts against its endpoint (rule I133)', () => {
  for (const [failure, reason] of [
    ['connect', 'unavailable'],
    ['connect-timeout', 'timeout'],
    ['total-timeout', 'timeout'],
    ['malformed', 'garbage'],
  ] as const) {
    const theirs = failureOf(new OutboundError(failure, 'x'), null);
    assert.is(theirs.reason, reason);
    assert.ok(theirs.counted);
  }
});

it('the rate and the permissions of our account say nothing of an endpoint: 429 and 403 do not count, yet are tried once more (rule I133)', () => {
  const counted = (status: number): boolean => statusFailure(status).counted;
  assert.equal([401, 402, 404, 500, 502, 503, 529].map(counted), Array(7).fill(true));
  assert.equal([400, 413, 429, 403].map(counted), Array(4).fill(false));
  for (const status of [403, 429]) assert.ok(statusFailure(status).repeatable);
  for (const type of ['rate_limit_error', 'rate_limit_exceeded', 'permission_error']) {
    const named = inBandFailure({ type });
    assert.equal([named.counted, named.repeatable], [false, true], type);
    assert.ok(named.isProvidersFault, 'a stream that breaks off for it counts');
  }
  assert.ok(inBandFailure({ type: 'overloaded_error' }).counted);
});

test.run();
