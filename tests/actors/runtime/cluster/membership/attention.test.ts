import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Attention } from '../../../../../actors/runtime/cluster/membership/attention.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);

it('attention follows the clock of an observer that looks often', () => {
  const attention = new Attention(300);
  for (let now = 50_000; now <= 51_000; now += 100) attention.advance(now);
  assert.is(attention.at(51_000), 1_000);
  assert.is(attention.at(51_090), 1_090);
});

it('a stall counts for its bound, before the next look and after it', () => {
  const attention = new Attention(300);
  attention.advance(0);
  assert.is(attention.at(8_000), 300);
  assert.is(attention.advance(8_000), 300);
  assert.is(attention.advance(8_100), 400);
});

test.run();
