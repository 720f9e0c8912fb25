import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutboundError } from '../../../gateway/outbound/outbound-error.ts';
import { failureOf } from '../../../gateway/providers/failure-of.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('a call beyond our own bound is an overload, is not repeated there and does not count against the endpoint (reliability, X39)', () => {
  const ours = failureOf(new OutboundError('saturated', 'full'), null);
  assert.is(ours.reason, 'overloaded');
  assert.is(ours.repeatable, false);
  assert.is(ours.counted, false);
});

it('a slow or unreachable server counts against its endpoint (reliability, X21, X22)', () => {
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

test.run();
