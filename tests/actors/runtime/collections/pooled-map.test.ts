import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PooledMap } from '../../../../actors/runtime/collections/pooled-map.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 30_000);

/** Few keys, so that they meet again and again; some of one hash home. */
const key = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map((n) => `gen-${n}`),
  fc.string({ maxLength: 3 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', ''),
);
const command = fc.tuple(fc.constantFrom('set', 'getOrSet', 'delete', 'get'), key);

it('does what a map does, whatever comes and goes', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 400 }), (commands) => {
      const brief = new PooledMap<number>();
      const model = new Map<string, number>();
      commands.forEach(([verb, name], n) => {
        if (verb === 'set') {
          brief.set(name, n);
          model.set(name, n);
        } else if (verb === 'getOrSet') {
          if (!model.has(name)) model.set(name, n);
          assert.is(
            brief.getOrSet(name, () => n),
            model.get(name),
          );
        } else if (verb === 'delete') {
          assert.is(brief.delete(name), model.delete(name));
        }
        assert.is(brief.get(name), model.get(name));
        assert.is(brief.size, model.size);
      });
      assert.equal(
        brief.values().sort((a, b) => a - b),
        [...model.values()].sort((a, b) => a - b),
      );
      for (const [name, value] of model) assert.is(brief.get(name), value);
    }),
    { numRuns: 500 },
  );
});

it('a run of neighbours closes when one of them leaves', () => {
  const brief = new PooledMap<number>();
  const names = Array.from({ length: 2_000 }, (_, n) => `gen-${n.toString(36)}`);
  names.forEach((name, n) => {
    brief.set(name, n);
  });
  names.forEach((name, n) => {
    if (n % 3 === 0) brief.delete(name);
  });
  names.forEach((name, n) => {
    assert.is(brief.get(name), n % 3 === 0 ? undefined : n);
  });
});

test.run();
