import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flagOf, limitOf, textOf, wholeNumber } from '../../../../gateway/edge/query/query-values.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const query = (text: string): URLSearchParams => new URLSearchParams(text);

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return `${thrown.status} ${thrown.message}`;
    throw thrown;
  }
  return 'accepted';
}

it('a parameter is given once, or not at all', () => {
  assert.equal([textOf(query('a=1&b='), 'a'), textOf(query('a=1'), 'b'), textOf(query('b='), 'b')], ['1', null, '']);
  assert.is(
    refusal(() => textOf(query('a=1&a=1'), 'a')),
    '400 a may be given once',
  );
});

it('a limit lies within its bounds, in decimal digits', () => {
  const page = { usual: 20, most: 100 };
  assert.equal(
    [limitOf(query(''), page), limitOf(query('limit=1'), page), limitOf(query('limit=100'), page)],
    [20, 1, 100],
  );
  for (const text of ['0', '101', '-1', '1e1', '0x1', '+1', ' 1', '1.0', 'NaN', '', '9'.repeat(10_000)]) {
    assert.is(
      refusal(() => limitOf(new URLSearchParams({ limit: text }), page)),
      '400 limit must be an integer from 1 to 100',
      text.slice(0, 20),
    );
  }
});

it('a whole number without an upper bound, and a flag', () => {
  assert.is(wholeNumber('offset', '7', { least: 0 }), 7);
  assert.is(
    refusal(() => wholeNumber('offset', '-1', { least: 0 })),
    '400 offset must be a whole number, 0 or more',
  );
  assert.equal(
    [flagOf(query(''), 'zdr'), flagOf(query('zdr=true'), 'zdr'), flagOf(query('zdr=false'), 'zdr')],
    [false, true, false],
  );
  assert.is(
    refusal(() => flagOf(query('zdr=1'), 'zdr')),
    '400 zdr must be true or false',
  );
});

test.run();
