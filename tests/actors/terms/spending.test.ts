import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type LimitWindow, windowEnd, windowStart } from '../../../actors/terms/spending.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('begins and ends windows at UTC edges', () => {
  const table: readonly (readonly [LimitWindow, string, string, string])[] = [
    ['daily', '2025-11-21T23:59:59.999Z', '2025-11-21', '2025-11-22'],
    ['daily', '2025-11-22T00:00:00.000Z', '2025-11-22', '2025-11-23'],
    ['weekly', '2025-11-23T23:59:59.999Z', '2025-11-17', '2025-11-24'],
    ['weekly', '2025-11-24T00:00:00.000Z', '2025-11-24', '2025-12-01'],
    ['weekly', '2024-12-31T12:00:00.000Z', '2024-12-30', '2025-01-06'],
    ['weekly', '1970-01-01T00:00:00.000Z', '1969-12-29', '1970-01-05'],
    ['monthly', '2024-02-29T23:59:59.999Z', '2024-02-01', '2024-03-01'],
    ['monthly', '2025-12-31T23:59:59.999Z', '2025-12-01', '2026-01-01'],
  ];
  for (const [window, at, start, end] of table) {
    assert.is(new Date(windowStart(window, Date.parse(at))).toISOString(), `${start}T00:00:00.000Z`, `${window} ${at}`);
    assert.is(new Date(windowEnd(window, Date.parse(at))).toISOString(), `${end}T00:00:00.000Z`, `${window} ${at}`);
  }
});

it('gives every time in a window the same start', () => {
  for (const window of ['daily', 'weekly', 'monthly'] as const) {
    let at = Date.UTC(2024, 0, 1);
    while (at < Date.UTC(2026, 0, 1)) {
      const end = windowEnd(window, at);
      assert.is(windowStart(window, end - 1), windowStart(window, at));
      assert.is(windowStart(window, end), end);
      at = end;
    }
  }
});

test.run();
