/** The console lights the states of the text that the runtime writes, nested and parallel ones too. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stateText } from '../../../actors/runtime/actor/state-text.ts';
import { isWithin, pathsOfState } from '../../../gateway/console/kit/state-text.ts';

test('a state is found by its path, and the note in brackets is no part of it', () => {
  assert.equal(pathsOfState('closed'), ['closed']);
  assert.equal(pathsOfState('closed (2 of 3 lines)'), ['closed']);
  assert.equal(pathsOfState(''), []);
});

test('regions of parallel states are found wherever they are nested', () => {
  const value = { open: { door: 'ajar', light: { lamp: 'on', sun: 'up' }, heat: 'off' } };
  const paths = ['open.door.ajar', 'open.light.lamp.on', 'open.light.sun.up', 'open.heat.off'];
  assert.equal(pathsOfState(stateText(value)), paths);
  assert.ok(paths.every((path) => isWithin('open', path)));
  assert.not.ok(isWithin('op', 'open.door.ajar'));
});

test.run();
