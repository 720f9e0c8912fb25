import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fitsOnceReleased, paymentRequired } from '../../../actors/terms/refusal.ts';

const heldOf = (available: string, held?: string) =>
  paymentRequired('account', { required: '9', available, ...(held === undefined ? {} : { held }) }).metadata?.held;

test('what others hold is named as far as its release adds to what is available', () => {
  assert.is(heldOf('1', '3'), '3');
  assert.is(heldOf('1', '0'), undefined);
  assert.is(heldOf('1'), undefined, 'no repeat may succeed');
  assert.is(heldOf('-1', '3'), '2', 'available is shown as 0');
  assert.is(heldOf('-4', '3'), undefined);
});

test('a request fits once released if it needs no more than what is available and held', () => {
  assert.ok(fitsOnceReleased({ required: '4', available: '1', held: '3' }));
  assert.not(fitsOnceReleased({ required: '4.01', available: '1', held: '3' }));
  assert.not(fitsOnceReleased({ required: '1', available: '1' }));
});

test.run();
