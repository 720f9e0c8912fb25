import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exactNumber, renderExact } from '../../../gateway/json/exact-json.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('writes every digit of an amount of any length (rule K40)', () => {
  const amount = '123456789012.000000000000000000000001';
  assert.is(renderExact({ a: exactNumber(amount), b: exactNumber(null) }), `{"a":${amount},"b":null}`);
  assert.is(renderExact([exactNumber('-0.5'), exactNumber('0')]), '[-0.5,0]');
});

it('writes every other value as JSON.stringify does', () => {
  const value = { text: 'a"\u2028', list: [1, null, true, { deep: 'x' }], left: undefined, empty: {} };
  assert.equal(JSON.parse(renderExact(value)), JSON.parse(JSON.stringify(value)));
});

test.run();
