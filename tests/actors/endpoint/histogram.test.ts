import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  BINS_MAX,
  type Histogram,
  type HistogramDraft,
  percentiles,
  record,
} from '../../../actors/endpoint/histogram.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

function of(figures: readonly number[]): Histogram {
  const draft: HistogramDraft = {};
  for (const figure of figures) record(draft, figure);
  return draft;
}

const figure = fc.double({ min: 0.05, max: 5, noNaN: true });

/** Smallest sample that at least this share of samples does not exceed. */
function exact(figures: readonly number[], part: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(part * sorted.length)) - 1] as number;
}

it('reads every percentile within 2 % of the true one', () => {
  fc.assert(
    fc.property(fc.array(figure, { minLength: 5, maxLength: 200 }), (figures) => {
      const read = percentiles([of(figures)], { samplesMin: 5, floors: false });
      for (const [name, part] of [
        ['p50', 0.5],
        ['p75', 0.75],
        ['p90', 0.9],
        ['p99', 0.99],
      ] as const) {
        const truth = exact(figures, part);
        const error = Math.abs((read?.[name] as number) - truth) / truth;
        assert.ok(error <= 0.0205, `${name}: ${read?.[name]} for ${truth}`);
      }
    }),
  );
});

it('merged windows give the percentiles of one window with all samples', () => {
  fc.assert(
    fc.property(fc.array(figure, { minLength: 5 }), fc.array(figure), (a, b) => {
      const options = { samplesMin: 5, floors: false };
      assert.equal(percentiles([of(a), of(b)], options), percentiles([of([...a, ...b])], options));
    }),
  );
});

it('floors are read from above: p90 is met or exceeded by nine of ten (rule C32)', () => {
  const figures = Array.from({ length: 100 }, (_, i) => i + 1);
  const read = percentiles([of(figures)], { samplesMin: 5, floors: true });
  assert.ok(Math.abs((read?.p50 as number) - 51) < 1.5);
  assert.ok(Math.abs((read?.p90 as number) - 11) < 0.5);
  assert.ok(Math.abs((read?.p99 as number) - 2) < 0.1);
});

it('returns null below its sample minimum', () => {
  assert.is(percentiles([of([1, 2, 3, 4])], { samplesMin: 5, floors: false }), null);
  assert.is.not(percentiles([of([1, 2, 3, 4, 5])], { samplesMin: 5, floors: false }), null);
  assert.equal(of([Number.NaN, -1, Number.POSITIVE_INFINITY]), {});
});

it('one slow answer among many leaves the percentiles of the others as they are', () => {
  const figures = [...Array.from({ length: 99 }, (_, at) => 0.2 + at / 1_000), 600];
  const read = percentiles([of(figures)], { samplesMin: 5, floors: false });
  assert.ok(Math.abs((read?.p50 as number) - 0.249) < 0.005, `${read?.p50}`);
});

it('never grows beyond its bins: figures beyond its range count as the nearest', () => {
  const wide = of(Array.from({ length: 2_000 }, (_, i) => 1.02 ** i * 1e-6));
  assert.is(BINS_MAX, 404);
  assert.is(Object.keys(wide).length, BINS_MAX);
  assert.is(
    Object.values(wide).reduce((sum, count) => sum + count, 0),
    2_000,
  );
  assert.ok(JSON.stringify(wide).length < BINS_MAX * 12);
});

test.run();
