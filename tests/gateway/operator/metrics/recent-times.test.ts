import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentTimes } from '../../../../gateway/operator/metrics/recent-times.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('percentiles are those of the newest times', () => {
  const times = new RecentTimes();
  assert.is(times.percentile(50), null);
  for (let ms = 1; ms <= 100; ms++) times.add(ms);
  assert.equal([times.percentile(50), times.percentile(99), times.percentile(100)], [50, 99, 100]);
  for (let nth = 0; nth < 1_024; nth++) times.add(7);
  assert.equal([times.percentile(1), times.percentile(100)], [7, 7]);
});

test.run();
