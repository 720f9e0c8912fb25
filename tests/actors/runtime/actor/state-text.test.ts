import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isInState, statesIn, stateText } from '../../../../actors/runtime/actor/state-text.ts';

const NESTED = { open: { door: 'ajar', light: { lamp: 'on', sun: 'up' } } };

test('each path of a state value begins at the root; regions are joined by a plus', () => {
  assert.is(stateText('closed'), 'closed');
  assert.is(stateText({ open: 'paused' }), 'open.paused');
  assert.is(stateText(NESTED), 'open.door.ajar+open.light.lamp.on+open.light.sun.up');
  assert.is(stateText({ closed: {}, open: { door: 'wide' } }), 'closed+open.door.wide');
  assert.is(stateText(null), '');
});

test('an actor is in its innermost states and in each that is around one of them, once', () => {
  assert.equal(statesIn('closed'), ['closed']);
  assert.equal(statesIn('open.running'), ['open', 'open.running']);
  assert.equal(statesIn('a.x+b.y'), ['a', 'a.x', 'b', 'b.y']);
  assert.equal(statesIn(stateText(NESTED)).filter((state) => state === 'open').length, 1);
});

test('a state is asked for at any depth and in several regions, and never by a part of a name', () => {
  const text = stateText(NESTED);
  for (const state of ['open', 'open.door', 'open.light.sun', 'open.door.ajar+open.light.lamp.on', text]) {
    assert.ok(isInState(text, state), state);
  }
  for (const state of ['op', 'open.do', 'door', 'open.door.wide', 'open.door+open.heat', '']) {
    assert.not.ok(isInState(text, state), state);
  }
});

test.run();
