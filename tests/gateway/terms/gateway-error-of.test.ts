import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AskError, type AskFailure } from '../../../actors/runtime/index.ts';
import { StoreRefused } from '../../../actors/runtime/ports/store.ts';
import { CallerLeft, GatewayError, gatewayErrorOf, invalid } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('maps every failure of an ask to 503 with advice to repeat, or to 500 without details (rule E8)', () => {
  const table: readonly (readonly [AskFailure, number])[] = [
    [{ code: 'busy', retryAfterMs: 1_500 }, 503],
    [{ code: 'moved', owner: null, epoch: 1 }, 503],
    [{ code: 'refused', detail: 'full' }, 503],
    [{ code: 'expired' }, 503],
    [{ code: 'lost' }, 503],
    [{ code: 'finished' }, 500],
    [{ code: 'unhandled' }, 500],
    [{ code: 'rejected', detail: 'b refused c', refusal: { by: 'b', event: 'c', body: null } }, 500],
    [{ code: 'failed', detail: 'x' }, 500],
  ];
  for (const [failure, status] of table) {
    const error = gatewayErrorOf(new AskError('account:a', failure));
    assert.is(error.status, status, failure.code);
    if (status === 503) assert.is(error.headers['x-should-retry'], 'true');
    if (status === 503) assert.match(error.headers['retry-after'] ?? '', /^\d+$/);
  }
  assert.is(
    gatewayErrorOf(new AskError('account:a', { code: 'busy', retryAfterMs: 1_500 })).headers['retry-after'],
    '2',
  );
  assert.is(gatewayErrorOf(new StoreRefused('full', 'disk full')).status, 503);
});

it('returns a GatewayError unchanged, CallerLeft included', () => {
  for (const error of [invalid('top_p must be at most 1'), new CallerLeft()]) {
    assert.is(gatewayErrorOf(error), error);
    assert.instance(error, GatewayError);
  }
  assert.is(new CallerLeft().name, 'CallerLeft');
  assert.is(new CallerLeft().status, 408);
});

test.run();
