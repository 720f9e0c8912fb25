import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBatchQuery } from '../../../../gateway/api/batches/batch-routes.ts';
import { instantOf } from '../../../../gateway/management/input.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const NOON = Date.UTC(2026, 10, 22, 12);

it('a time is Unix seconds, a date, or an ISO 8601 instant with its offset', () => {
  const cases: readonly (readonly [string, number | null])[] = [
    ['0', 0],
    ['1795348800', 1_795_348_800_000],
    ['2026-11-22', Date.UTC(2026, 10, 22)],
    ['2026-11-22T12:00Z', NOON],
    ['2026-11-22T12:00:00Z', NOON],
    ['2026-11-22t12:00:00.25z', NOON + 250],
    ['2026-11-22T12:00:00.123456789Z', NOON + 123],
    ['2026-11-22T14:00:00+02:00', NOON],
    ['2026-11-22T14:00:00 02:00', NOON],
    ['2026-11-22T07:30:00-0430', NOON],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2026-02-29', null],
    ['2026-13-01', null],
    ['2026-11-22T24:00Z', null],
    ['2026-11-22T12:60Z', null],
    ['2026-11-22T12:00:00', null],
    ['2026-11-22T12:00:00+24:00', null],
    ['0000-01-01', null],
    ['-1', null],
    ['1e9', null],
    ['tomorrow', null],
    ['', null],
    ['9'.repeat(12), null],
  ];
  for (const [text, at] of cases) assert.is(instantOf(text), at, text);
});

it('both bounds are exclusive of `created_at` as it is shown, in whole seconds (rule B33)', () => {
  const bounds = (text: string): readonly [number | null, number | null] => {
    const { createdAfter, createdBefore } = parseBatchQuery(
      new URLSearchParams({ created_after: text, created_before: text }),
    );
    return [createdAfter, createdBefore];
  };
  for (const [text, second] of [
    ['2026-11-22T12:00:00Z', 0],
    [String(NOON / 1_000), 0],
    ['2026-11-22T12:00:00.500Z', 1],
  ] as const) {
    const [after, before] = bounds(text);
    for (let ms = NOON - 2_000; ms < NOON + 3_000; ms += 250) {
      const shown = Math.floor(ms / 1_000) * 1_000;
      assert.is(ms > (after as number), shown > NOON + (second === 1 ? 500 : 0), `${text} after ${ms - NOON}`);
      assert.is(ms < (before as number), shown < NOON + (second === 1 ? 500 : 0), `${text} before ${ms - NOON}`);
    }
  }
  assert.equal(parseBatchQuery(new URLSearchParams('status=failed&status=failed&status=expired')), {
    ...{ statuses: ['failed', 'expired'], createdAfter: null, createdBefore: null, limit: 20, after: null },
  });
});

test.run();
