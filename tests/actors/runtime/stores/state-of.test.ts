import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stateOf } from '../../../../actors/runtime/stores/state-of.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 1_000);

it('the state is the first level of the value', () => {
  assert.is(stateOf('{"value":"open","context":{"value":"no"}}'), 'open');
  assert.is(stateOf('{"context":{"value":"no"},"value":{"open":{"waiting":"x"}}}'), 'open');
  assert.is(stateOf('{"value":{"rate":"ok","status":{"active":"x"}}}'), 'rate.ok,status.active');
});

it('what has no state is unknown', () => {
  for (const snapshot of ['', '{', 'null', '7', '{}', '{"value":null}', '{"value":{}}']) {
    assert.is(stateOf(snapshot), 'unknown', snapshot);
  }
});

test.run();
