/** The console lights the states of the text that the runtime writes, nested and parallel ones too. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stateText } from '../../../actors/runtime/actor/charts/snapshot.ts';
import { type NamedStates, pathsOfState } from '../../../gateway/console/kit/state-text.ts';

const state = (name: string, type: string, ...states: NamedStates[]): NamedStates => ({ name, type, states });
const leaf = (name: string): NamedStates => state(name, 'atomic');

const CHART = state(
  'root',
  'compound',
  leaf('closed'),
  state(
    'open',
    'parallel',
    state('door', 'compound', leaf('ajar'), leaf('wide')),
    state('light', 'parallel', state('lamp', 'compound', leaf('on')), state('sun', 'compound', leaf('up'))),
    state('heat', 'compound', leaf('off')),
  ),
);

test('a state is found by its path, and the note in brackets is no part of it', () => {
  assert.equal(pathsOfState('closed', CHART), ['closed']);
  assert.equal(pathsOfState('closed (2 of 3 lines)', CHART), ['closed']);
  assert.equal(pathsOfState('', CHART), []);
});

test('regions of parallel states are found wherever they are nested', () => {
  const value = { open: { door: 'ajar', light: { lamp: 'on', sun: 'up' }, heat: 'off' } };
  const paths = ['open.door.ajar', 'open.light.lamp.on', 'open.light.sun.up', 'open.heat.off'];
  assert.equal(pathsOfState(stateText(value), CHART), paths);
});

test('regions of a chart that is parallel itself are paths of their own', () => {
  const chart = state('root', 'parallel', ...CHART.states);
  assert.equal(pathsOfState(stateText({ closed: {}, open: { door: 'wide' } }), chart), ['closed', 'open.door.wide']);
});

test.run();
