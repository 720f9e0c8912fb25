import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../../../actors/runtime/actor/event.ts';
import {
  canonicalText,
  differences,
  patchBetween,
  patched,
} from '../../../../../actors/runtime/actor/history/patch.ts';

const json = fc.jsonValue({ depthSize: 'medium' }) as fc.Arbitrary<Json>;
const asText = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test('a patch makes any JSON value of any other, also after it was text', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      const patch = asText(patchBetween(before, after));
      assert.is(canonicalText(patched(before, patch)), canonicalText(after));
    }),
    { numRuns: 2_000 },
  );
});

test('a value with few changed members needs few places, and equal ones none', () => {
  const before = { a: { b: [1, 2, { c: 3 }], d: 4 }, e: 5, gone: 6 };
  const after = { a: { b: [1, 2, { c: 7 }, 8], d: 4 }, e: 5 };
  assert.equal(patchBetween(before, after), [[['a', 'b', 2, 'c'], 7], [['a', 'b', 3], 8], [['gone']]]);
  assert.equal(differences(before, after), [
    { path: ['a', 'b', 2, 'c'], before: 3, after: 7 },
    { path: ['a', 'b', 3], after: 8 },
    { path: ['gone'], before: 6 },
  ]);
  assert.equal(patchBetween(before, asText(before)), []);
});

test('a member that is undefined counts as absent', () => {
  const before = { a: 1, b: undefined };
  assert.equal(patchBetween(before, { a: undefined, b: 2 }), [[['a']], [['b'], 2]]);
  assert.equal(patchBetween(before, { a: 1 }), []);
  assert.is(canonicalText({ b: 1, a: undefined }), '{"b":1}');
});

test('a patch that does not fit its value throws', () => {
  assert.throws(() => patched({ a: 1 }, [[['a', 'b'], 2]]), /no members at a.b/);
  assert.throws(() => patched([], [[[3], 2]]), /no list at 3/);
});

test.run();
