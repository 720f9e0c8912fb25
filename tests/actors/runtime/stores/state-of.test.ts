import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stateOf } from '../../../../actors/runtime/stores/state-of.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('the state is the whole value as text', () => {
  assert.is(stateOf('{"value":"open","context":{"value":"no"}}'), 'open');
  assert.is(stateOf('{"context":{"value":"no"},"value":{"open":{"waiting":"x"}}}'), 'open.waiting.x');
  assert.is(stateOf('{"value":{"rate":"ok","status":{"active":"x"}}}'), 'rate.ok+status.active.x');
});

it('the state is the same whether or not the snapshot begins with it', () => {
  const name = fc.oneof(fc.constantFrom('open', 'a"b', 'a\\b', '\0', ''), fc.string({ unit: 'binary' }));
  const value = fc.oneof(name, fc.dictionary(name, name), fc.constant(null));
  fc.assert(
    fc.property(value, name, (value, sum) => {
      const behind = stateOf(JSON.stringify({ context: {}, value }));
      assert.is(stateOf(JSON.stringify({ value, context: {} })), behind);
      assert.is(stateOf(JSON.stringify({ sum, value, context: {} })), behind);
    }),
  );
});

it('a snapshot without a state is unknown', () => {
  for (const snapshot of ['', '{', 'null', '7', '{}', '{"value":null}', '{"value":{}}']) {
    assert.is(stateOf(snapshot), 'unknown', snapshot);
  }
});

test.run();
