import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parsed } from '../../../gateway/providers/parsed.ts';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('accepts an object and refuses anything else', () => {
  assert.equal(parsed('{"a":[1]}'), { a: [1] });
  for (const text of ['', '5', 'null', '"a"', '{', 'NaN', '\0']) {
    assert.throws(
      () => parsed(text),
      (error: unknown) => error instanceof ProviderFailure,
    );
  }
});

// rule I136
it('refuses a long answer of millions of small values before parsing it', () => {
  for (const piece of ['[],', '{"":{}},', '"",', '1,', '[[[[']) {
    const text = `{"a":[${piece.repeat((4 * 1024 * 1024) / piece.length)}0]}`;
    try {
      parsed(text);
    } catch (error) {
      assert.match((error as Error).message, 'values in one answer');
      continue;
    }
    assert.unreachable(piece);
  }
});

it('accepts a long answer of few long strings with any content', () => {
  for (const piece of ['A', ',[{', '\\"', '\\\\', '\\\\\\"[', 'é']) {
    const text = `{"a":"${piece.repeat((2 * 1024 * 1024) / piece.length)}","b":[1,2]}`;
    assert.equal(parsed(text).b, [1, 2]);
  }
});

test.run();
