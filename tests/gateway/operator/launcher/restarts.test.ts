import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Restarts } from '../../../../gateway/operator/launcher/fleet.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('counts deaths and keeps the newest hundred times; a drain is the last end and no death', () => {
  const restarts = new Restarts(['n1', 'n2']);
  for (let at = 1; at <= 150; at++) restarts.note('n1', { at, reason: `death ${at}`, isPlanned: false });
  const drained = restarts.note('n1', { at: 151, reason: 'drained and left', isPlanned: true });
  const times = Array.from({ length: 100 }, (_, at) => at + 51);
  assert.equal(drained, { name: 'n1', total: 150, times, lastEnd: { reason: 'drained and left', at: 151 } });
  assert.equal(restarts.all(), [drained, { name: 'n2', total: 0, times: [], lastEnd: null }]);
});

test.run();
