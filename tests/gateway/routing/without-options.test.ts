import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Descriptor, Endpoint } from '../../../actors/terms/endpoint.ts';
import { matches } from '../../../gateway/routing/endpoints/matches.ts';
import { bounded } from '../../support/bounded.ts';
import { at, cheap, dear, planned, refused, slugs } from './scene.ts';

const it = bounded(test);

function passing(slug: string, passthrough: Endpoint['passthrough'], model: object = cheap): Endpoint {
  return at(slug, model, { passthrough });
}

const MIROSTAT = { mirostat: { type: 'integer', min: 0, max: 2 } } as const;

it('a declared passthrough parameter with a declared value is served', () => {
  assert.equal(slugs({ provider: { options: { a: { mirostat: 2 } } } }, [passing('a', MIROSTAT)]), ['a']);
});

it('an undeclared name, or a value outside its descriptor, is 400 naming it (rule I35)', () => {
  for (const options of [{ other: 1 }, { mirostat: 3 }, { mirostat: '2' }, { mirostat: 2, constructor: 1 }]) {
    const error = refused({ provider: { options: { a: options } } }, [passing('a', MIROSTAT)]);
    assert.is(error.status, 400);
    assert.is(error.type, 'invalid_request');
    const wrong = Object.keys(options).at(-1) as string;
    assert.ok(error.message.includes(`provider.options.a.${wrong}`), error.message);
  }
});

it('only the options of the serving provider are read, and a fallback that would drop its own is left out (rule I35)', () => {
  const endpoints = [passing('a', MIROSTAT), passing('b', {}, dear)];
  const sort = 'price';
  const both = { a: { mirostat: 1 }, b: { mirostat: 1 } };
  const { candidates, rejections } = planned({ provider: { sort, options: both } }, endpoints);
  assert.equal(
    candidates.map(({ endpoint }) => endpoint.provider.slug),
    ['a'],
  );
  assert.equal(rejections, [
    { provider: 'b', endpoint: 'b', reason: 'constraint_filtered', member: 'provider.options.b.mirostat' },
  ]);
  assert.equal(slugs({ provider: { sort, options: { a: { mirostat: 1 } } } }, endpoints), ['a', 'b']);
  assert.equal(slugs({ provider: { sort, options: { nobody: { x: 1 } } } }, endpoints), ['a', 'b']);
});

it('of several endpoints of one provider, those that accept the options serve', () => {
  const endpoints = [passing('a', {}), { ...passing('a', MIROSTAT, dear), id: 'ep_second', tag: 'a/second' }];
  const provider = { sort: 'price', allow_fallbacks: false, options: { a: { mirostat: 1 } } };
  const { candidates } = planned({ provider }, endpoints);
  assert.equal(
    candidates.map(({ endpoint }) => endpoint.tag),
    ['a/second'],
  );
});

const DESCRIPTORS: readonly (readonly [Descriptor, readonly unknown[], readonly unknown[]])[] = [
  [{ type: 'range', min: 0, max: 1, step: 0.1 }, [0, 0.3, 0.7, 1], [0.05, 1.1, -0.1, '0.1', null, Number.NaN]],
  [{ type: 'range', min: 0, max: 1 }, [0.05], [2]],
  [{ type: 'integer', min: 1 }, [1, 7], [0, 1.5, '1', true]],
  [{ type: 'integer' }, [-9], [0.5]],
  [{ type: 'boolean' }, [true, false], [0, 'true', null]],
  [{ type: 'enum', values: ['a', 1, true] }, ['a', 1, true], ['b', '1', 'true', null, undefined]],
  [
    { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 2 },
    [[true], [true, false]],
    [[], [true, true, true], [1], true, { 0: true, length: 1 }],
  ],
  [
    { type: 'object', properties: { a: { type: 'integer' } } },
    [{}, { a: 1 }],
    [{ a: 'x' }, { b: 1 }, { toString: 1 }, [], null, 'x'],
  ],
  [{ type: 'object' }, [{}, { anything: 1 }], [[], null]],
  [{ type: 'unknown' }, [null, 1, 'x', {}], []],
];

for (const [descriptor, allowed, others] of DESCRIPTORS) {
  it(`a value of ${JSON.stringify(descriptor)} is distinguished from others`, () => {
    for (const value of allowed) assert.ok(matches(descriptor, value), JSON.stringify(value));
    for (const value of others) assert.not.ok(matches(descriptor, value), JSON.stringify(value));
  });
}

it('a descriptor accepts or refuses any JSON value and never throws (rule I36)', () => {
  fc.assert(
    fc.property(fc.constantFrom(...DESCRIPTORS), fc.jsonValue(), ([descriptor], value) => {
      assert.type(matches(descriptor, value), 'boolean');
    }),
  );
});

test.run();
