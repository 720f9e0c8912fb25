import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { matcherOf } from '../../../../actors/runtime/cluster/cluster-watchers.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['*', ['key:a/b', ''], []],
  ['key:*', ['key:a', 'key:'], ['xkey:a', 'account:key:']],
  ['*/b', ['key:a/b'], ['key:a/bb']],
  ['key:a/b', ['key:a/b'], ['key:a/bc', 'key:a']],
  ['key:*/k*1', ['key:acct/k1', 'key:acct/key_21'], ['key:acct/x1', 'key:acct/k2']],
  ['a*a', ['aa', 'aba'], ['a']],
  ['a.c', ['a.c'], ['abc']],
];

for (const [pattern, yes, no] of CASES) {
  it(`the pattern ${pattern} matches its addresses only`, () => {
    const matches = matcherOf(pattern);
    assert.equal(
      [...yes, ...no].filter((address) => matches(address)),
      yes,
    );
  });
}

test.run();
