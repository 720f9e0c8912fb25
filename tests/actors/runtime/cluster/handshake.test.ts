import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { greet, judge, same, type Terms, trusts, WIRE_MAJOR } from '../../../../actors/runtime/cluster/handshake.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const callee: Terms = {
  name: 'n1',
  incarnation: 'one',
  shards: 256,
  configDigest: 'd1',
  charts: { key: { loads: 1, writes: 2, version: 2 } },
  secret: 'secret',
};
const caller: Terms = { ...callee, name: 'n2', incarnation: 'two' };

const CASES: readonly (readonly [string, Parameters<typeof judge>[0], RegExp | null])[] = [
  ['one that fits', greet(caller, 'one'), null],
  ['another secret', greet({ ...caller, secret: 'guess' }, 'one'), /secret/],
  ['another shard count', greet({ ...caller, shards: 128 }, 'one'), /256 shards.*128/],
  ['another configuration', greet({ ...caller, configDigest: 'd2' }, 'one'), /different configurations/],
  ['another wire major', { ...greet(caller, 'one'), wireMajor: WIRE_MAJOR + 1 }, /wire version/],
  ['a proof of another incarnation', { ...greet(caller, 'one'), incarnation: 'three' }, /secret/],
  ['a proof of another name', { ...greet(caller, 'one'), name: 'n9' }, /secret/],
  [
    'a build that cannot load what we write',
    greet({ ...caller, charts: { key: { loads: 1, writes: 1, version: 1 } } }, 'one'),
    /^n1 writes key at chart 2 or higher, n2 loads it up to 1$/,
  ],
  ['a build that can', greet({ ...caller, charts: { key: { loads: 2, writes: 2, version: 3 } } }, 'one'), null],
  ['a proof meant for another incarnation', greet(caller, 'old'), /another incarnation was meant/],
  ['an empty proof', { ...greet(caller, 'one'), proof: '' }, /secret/],
];

for (const [title, hello, refusal] of CASES) {
  it(`a hello is judged: ${title}`, () => {
    const verdict = judge(hello, callee);
    if (refusal === null) assert.ok('welcome' in verdict);
    else assert.match('refused' in verdict ? verdict.refused : '', refusal);
  });
}

it('the caller accepts only the incarnation it dialled, with the secret, in answer to its own hello', () => {
  const verdict = judge(greet(caller, 'one'), callee);
  const welcome = 'welcome' in verdict ? verdict.welcome : null;
  if (!welcome) throw new Error('not welcome');
  assert.is(trusts(welcome, 'one', caller), true);
  assert.is(trusts(welcome, 'old', caller), false);
  assert.is(trusts({ ...welcome, proof: '' }, 'one', caller), false);
  assert.is(trusts(welcome, 'one', { ...caller, incarnation: 'other' }), false);
  assert.is(trusts(welcome, 'one', { ...caller, secret: 'guess' }), false);
});

it('texts of different length compare without throwing', () => {
  assert.is(same('a', 'a'), true);
  assert.is(same('a', 'aa'), false);
});

test.run();
