import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { and, not, setup, stateIn } from 'xstate';
import { kinds } from '../../../../../actors/kinds.ts';
import { type ChartView, chartViewOf, type StateView } from '../../../../../actors/runtime/actor/charts/chart-view.ts';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import { emitOn, guardOn, type Kind, verdictOn } from '../../../../../actors/runtime/index.ts';

const nothing = emitOn('*', () => []);
const machine = setup({
  actions: { note: nothing, ends: nothing },
  guards: {
    opens: verdictOn<object, { readonly type: 'door.push' }, 'granted'>('door.push', () => 'granted'),
    isFree: guardOn('*', () => true),
  },
}).createMachine({
  type: 'parallel',
  options: { maxIterations: 10 },
  states: {
    door: {
      initial: 'shut',
      states: {
        shut: {
          entry: 'note',
          on: {
            'door.push': [
              { guard: { type: 'opens', params: { as: 'granted' } }, target: 'open', actions: ['note', 'ends'] },
              { guard: and(['isFree', not(stateIn({ lamp: 'lit' }))]), target: 'shut', reenter: true },
            ],
            'door.knock': {},
          },
        },
        open: { type: 'final' },
      },
    },
    lamp: { initial: 'dark', states: { dark: { always: { guard: 'isFree', target: 'lit' } }, lit: { exit: 'note' } } },
  },
});
const kind: Kind = {
  ...{ name: 'house', machine, version: 3, upcast: (saved) => saved, creates: ['door.push'], finishes: [] },
  ...{ volatile: [], collections: {}, explain: () => [], redact: (context) => context },
};

const inner = (view: ChartView, ...path: readonly string[]): StateView =>
  path.reduce((state, name) => state.states.find((one) => one.name === name) as StateView, view.root);

test("a chart's view has its states, transitions and the names of its parts, and is plain data", () => {
  const view = chartViewOf(register(kind));
  assert.equal(view, JSON.parse(JSON.stringify(view)));
  assert.equal([view.kind, view.version, view.creates, view.root.type], ['house', 3, ['door.push'], 'parallel']);
  assert.equal([inner(view, 'door').type, inner(view, 'door').initial], ['compound', 'shut']);
  const shut = inner(view, 'door', 'shut');
  assert.equal([shut.path, shut.type, shut.entry, shut.exit], ['door.shut', 'atomic', ['note'], []]);
  assert.equal(shut.transitions, [
    { event: 'door.push', target: 'door.open', guard: 'opens(granted)', actions: ['note', 'ends'], reenter: false },
    {
      event: 'door.push',
      target: 'door.shut',
      guard: 'and(isFree, not(in({"lamp":"lit"})))',
      actions: [],
      reenter: true,
    },
    { event: 'door.knock', target: null, guard: null, actions: [], reenter: false },
  ]);
  assert.is(inner(view, 'door', 'open').type, 'final');
  assert.equal(inner(view, 'lamp', 'dark').transitions, [
    { event: '', target: 'lamp.lit', guard: 'isFree', actions: [], reenter: false },
  ]);
  assert.equal(inner(view, 'lamp', 'lit').exit, ['note']);
});

test('every chart of the marketplace has a view whose targets are its states', () => {
  for (const view of kinds.map((one) => chartViewOf(register(one)))) {
    const states: StateView[] = [view.root];
    for (const state of states) states.push(...state.states);
    const paths = new Set(states.map(({ path }) => path));
    const transitions = states.flatMap((state) => state.transitions);
    assert.ok(transitions.length > 0, view.kind);
    for (const { target, guard, actions } of transitions) {
      assert.ok(target === null || paths.has(target), `${view.kind} ${target}`);
      for (const text of [guard ?? 'none', ...actions]) assert.match(text, /^[\w.$-]+(\(.*\))?$/, view.kind);
    }
  }
});

test.run();
