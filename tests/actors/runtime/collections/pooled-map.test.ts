import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PooledMap } from '../../../../actors/runtime/collections/pooled-map.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

/** A small set of keys, so that operations meet the same keys; several share one home slot. */
const key = fc.oneof(
  fc.integer({ min: 0, max: 40 }).map((n) => `gen-${n}`),
  fc.string({ maxLength: 3 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', ''),
);
const command = fc.tuple(fc.constantFrom('set', 'getOrSet', 'delete', 'get'), key);

it('behaves as a Map under any sequence of operations', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 400 }), (commands) => {
      const map = new PooledMap<number>();
      const model = new Map<string, number>();
      commands.forEach(([verb, name], n) => {
        if (verb === 'set') {
          map.set(name, n);
          model.set(name, n);
        } else if (verb === 'getOrSet') {
          if (!model.has(name)) model.set(name, n);
          assert.is(
            map.getOrSet(name, () => n),
            model.get(name),
          );
        } else if (verb === 'delete') {
          assert.is(map.delete(name), model.delete(name));
        }
        assert.is(map.get(name), model.get(name));
        assert.is(map.size, model.size);
      });
      assert.equal(
        map.values().sort((a, b) => a - b),
        [...model.values()].sort((a, b) => a - b),
      );
      for (const [name, value] of model) assert.is(map.get(name), value);
    }),
    { numRuns: 500 },
  );
});

it('a deletion closes the gap in its probe run', () => {
  const map = new PooledMap<number>();
  const names = Array.from({ length: 2_000 }, (_, n) => `gen-${n.toString(36)}`);
  names.forEach((name, n) => {
    map.set(name, n);
  });
  names.forEach((name, n) => {
    if (n % 3 === 0) map.delete(name);
  });
  names.forEach((name, n) => {
    assert.is(map.get(name), n % 3 === 0 ? undefined : n);
  });
});

test.run();
