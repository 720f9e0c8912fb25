import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LineFailed } from '../../../actors/batch/lines.ts';
import { MONEY_HELD, retryAt } from '../../../actors/batch/lines.ts';

const pauseMs = (code: string, attempt: number, id = '0'): number =>
  retryAt({ id, attempt, at: 0, failure: { code, message: '', retriable: true } } as unknown as LineFailed);

test('a failed attempt is repeated after a pause that doubles up to a minute', () => {
  const pauses = [1, 2, 3, 6, 7, 5_000].map((attempt) => pauseMs('unavailable', attempt, '7'));
  assert.equal(pauses, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000]);
});

test('lines that wait for money others hold are repeated within 20 s, never two of a batch’s eight at once', () => {
  for (const attempt of [1, 4, 9, 5_000]) {
    const pauses = Array.from({ length: 8 }, (_, index) => pauseMs(MONEY_HELD, attempt, String(index + 3)));
    assert.is(new Set(pauses).size, 8);
    assert.ok(Math.min(...pauses) >= 1_000 && Math.max(...pauses) < 20_000);
  }
});

test.run();
