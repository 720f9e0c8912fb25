import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AnyStateMachine,
  and,
  assign,
  cancel,
  createMachine,
  emit as emitOfXstate,
  enqueueActions,
  forwardTo,
  fromPromise,
  log,
  not,
  or,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stateIn,
  stopChild,
} from 'xstate';
import { assignOn, emitOn, guardOn, verdictOn } from '../../../../../actors/runtime/actor/chart.ts';
import { KindRefused } from '../../../../../actors/runtime/actor/charts/check-chart.ts';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import { emit } from '../../../../../actors/runtime/actor/effect.ts';
import { type Kind, NEXT_ROWS_MAX } from '../../../../../actors/runtime/actor/kind.ts';
import { bounded } from '../../../../support/bounded.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { purseKind } from '../../../example-kinds/purse.ts';
import { registerKind } from '../../../example-kinds/register.ts';

const it = bounded(test);

const kindOf = (machine: unknown, more: Partial<Kind> = {}): Kind => ({
  ...counterKind,
  name: 'trial',
  creates: [],
  machine: machine as AnyStateMachine,
  ...more,
});

const BOUND = { options: { maxIterations: 100 } };

/** A machine with one state, loosely typed, because the tests need invalid ones. */
const machineOf = (state: object, implementations: object = {}, more: object = {}): AnyStateMachine =>
  createMachine(
    { initial: 'here', ...BOUND, states: { here: state, there: {} }, ...more } as never,
    {
      ...(implementations as object),
    } as never,
  ) as unknown as AnyStateMachine;

const refusal = (kind: Kind): string => {
  try {
    register(kind);
  } catch (error) {
    if (!(error instanceof KindRefused)) throw error;
    return error.message;
  }
  return '';
};

it('accepts the example kinds', () => {
  for (const kind of [counterKind, purseKind, registerKind]) assert.is(register(kind).name, kind.name);
});

it('accepts assign, immediate raise, emit of the runtime, named guards and their combinations', () => {
  const machine = setup({
    guards: { yes: () => true, both: and(['yes', not('yes')]) },
    actions: {
      keep: assign({}),
      again: raise({ type: 'again' }),
      tell: emit(() => ({ type: 'reply', body: 1 })),
    },
  }).createMachine({
    ...BOUND,
    initial: 'here',
    states: {
      here: {
        entry: 'keep',
        exit: { type: 'tell' },
        on: { go: { guard: or(['yes', and(['both', not('yes')])]), actions: ['again', 'tell'], target: 'there' } },
        always: { guard: and([not('yes'), stateIn('here')]), actions: 'keep' },
      },
      there: { type: 'final' },
    },
  } as never);
  assert.is(refusal(kindOf(machine)), '');
});

const worldly: readonly (readonly [string, unknown])[] = [
  ['sendTo', sendTo('a', { type: 'x' })],
  ['sendParent', sendParent({ type: 'x' })],
  ['forwardTo', forwardTo('a')],
  ['emit of XState', emitOfXstate({ type: 'x' })],
  ['log', log('x')],
  ['cancel', cancel('x')],
  ['stopChild', stopChild('x')],
  ['spawnChild', spawnChild('x' as never)],
  ['enqueueActions', enqueueActions(() => undefined)],
  ['a delayed raise', raise({ type: 'x' }, { delay: 10 })],
  ['a raise delayed by a name', raise({ type: 'x' }, { delay: 'soon' as never })],
  ['a plain function', () => undefined],
];

for (const [name, action] of worldly) {
  it(`refuses ${name} as an action of setup, naming kind and action`, () => {
    const message = refusal(kindOf(machineOf({}, { actions: { act: action } })));
    assert.match(message, /kind trial: setup: actions\.act: /);
  });
  it(`refuses ${name} inside the chart, naming kind, state and member`, () => {
    const message = refusal(kindOf(machineOf({ on: { go: { actions: action } } })));
    assert.match(message, /kind trial: state here: on "go": inline action/);
  });
}

it('refuses inline actions in every position', () => {
  const inline = (): void => undefined;
  for (const [member, state] of [
    ['entry', { entry: inline }],
    ['exit', { exit: [inline] }],
    ['on "go"', { on: { go: [{ target: 'there' }, { actions: [inline] }] } }],
    ['always', { always: { actions: inline } }],
    ['on "xstate.done.state', { onDone: { actions: inline }, initial: 'in', states: { in: {} } }],
    ['initial', { initial: { target: 'in', actions: inline }, states: { in: {} } }],
  ] as const) {
    assert.match(refusal(kindOf(machineOf(state))), new RegExp(`state here: ${member}.*inline action`), member);
  }
  assert.match(refusal(kindOf(machineOf({}, {}, { on: { go: { actions: inline } } }))), /state \(root\): on "go"/);
  const nested = { initial: 'deep', states: { deep: { entry: inline } } };
  assert.match(refusal(kindOf(machineOf(nested))), /state here\.deep: entry/);
});

it('refuses an inline assign, which belongs in setup', () => {
  assert.match(refusal(kindOf(machineOf({ entry: assign({}) }))), /inline action xstate\.assign/);
});

it('refuses inline guards, alone and inside combinations, in the chart and in setup', () => {
  const inline = (): boolean => true;
  for (const guard of [inline, and([inline, 'yes']), not(inline), or(['yes', not(and([inline]))])]) {
    const chart = machineOf({ on: { go: { guard, target: 'there' } } }, { guards: { yes: inline } });
    assert.match(refusal(kindOf(chart)), /state here: on "go": inline guard/);
  }
  assert.match(
    refusal(kindOf(machineOf({}, { guards: { mixed: not(inline) } }))),
    /guards\.mixed: guard: inline guard/,
  );
});

it('refuses names without an implementation', () => {
  assert.match(refusal(kindOf(machineOf({ entry: 'missing' }))), /state here: entry: unknown action missing/);
  assert.match(refusal(kindOf(machineOf({ entry: { type: 'toString' } }))), /unknown action toString/);
  const guarded = machineOf({ on: { go: { guard: and(['missing']), target: 'there' } } });
  assert.match(refusal(kindOf(guarded)), /unknown guard missing/);
});

it('refuses time, children and history', () => {
  assert.match(refusal(kindOf(machineOf({ after: { 100: 'there' } }))), /state here: after is not allowed/);
  const invoking = machineOf({ invoke: { src: 'work' } }, { actors: {} });
  assert.match(refusal(kindOf(invoking)), /state here: invoke is not allowed/);
  const children = machineOf({}, { actors: { work: fromPromise(async () => 1) } });
  assert.match(refusal(kindOf(children)), /actors\.work/);
  assert.match(refusal(kindOf(machineOf({}, { delays: { soon: 10 } }))), /delays\.soon/);
  const history = { initial: 'in', states: { in: {}, back: { type: 'history' } } };
  assert.match(refusal(kindOf(machineOf(history))), /state here\.back: history/);
  assert.match(refusal(kindOf(machineOf({ id: 'here', route: {} }))), /route/);
});

it('refuses a machine without a bound on eventless transitions, and one that is too high', () => {
  for (const options of [{}, { maxIterations: Number.POSITIVE_INFINITY }, { maxIterations: 1_001 }]) {
    assert.match(refusal(kindOf(machineOf({}, {}, { options }))), /maxIterations/);
  }
  assert.is(refusal(kindOf(machineOf({}, {}, { options: { maxIterations: 1_000 } }))), '');
});

it('refuses invalid names, versions and event types', () => {
  const machine = machineOf({});
  for (const name of ['', 'Trial', '1trial', 'tri/al', 'tri:al', 'x'.repeat(33)]) {
    assert.match(refusal(kindOf(machine, { name })), /its name cannot begin an address/);
  }
  assert.match(refusal(kindOf(machine, { version: 0 })), /version 0/);
  assert.match(refusal(kindOf(machine, { creates: ['xstate.init'] })), /"xstate\.init"/);
});

it('refuses bad collections and lease rows', () => {
  const machine = machineOf({});
  const sort = (): number => 0;
  const column = (): string => '';
  const refuses = (more: Partial<Kind>): string => refusal(kindOf(machine, more));
  assert.match(
    refuses({ collections: { line: { sort, index: Array(5).fill(column) } } }),
    /5 index columns, at most 4/,
  );
  assert.match(refuses({ collections: { 'a line': { sort } } }), /no usable name/);
  assert.match(refuses({ collections: { line: {} as never } }), /has no sort/);
  assert.match(refuses({ collections: { line: { sort, retentionMs: -1 } } }), /retentionMs/);
  assert.match(refuses({ collections: { line: { sort, index: [column], blob: 1 } } }), /names column 1 as its blob/);
  const leaseRows = { collection: 'line', column: 0, event: 'node.lost' } as const;
  assert.match(refuses({ collections: {}, leaseRows }), /names collection line/);
  assert.match(refuses({ collections: { line: { sort, open: () => true } }, leaseRows }), /column 0/);
  assert.match(refuses({ collections: { line: { sort, index: [column] } }, leaseRows }), /declares open/);
});

it('refuses a kind whose chart has no transition for an event that creates its actors or comes from the runtime', () => {
  const on = (...types: string[]) => machineOf({ on: Object.fromEntries(types.map((type) => [type, {}])) });
  const collections = { line: { sort: () => 0, index: [() => ''], open: () => true } };
  const leaseRows = { collection: 'line', column: 0, event: 'node.lost' } as const;
  assert.match(refusal(kindOf(on('b'), { creates: ['a'] })), /no state has a transition for a$/);
  assert.match(refusal(kindOf(on('b'), { resident: true })), /no state has a transition for actor\.activated/);
  assert.match(refusal(kindOf(on('b'), { collections, leaseRows })), /no state has a transition for node\.lost/);
  assert.is(refusal(kindOf(on('a', 'node.lost'), { creates: ['a'], collections, leaseRows })), '');
  assert.is(refusal(kindOf(on('*'), { creates: ['a'] })), '');
});

it('refuses a kind whose chart has no transition for an end or a further attempt of its activities', () => {
  const on = (...types: string[]) => machineOf({ on: Object.fromEntries(types.map((type) => [type, {}])) });
  const activities = ['post'];
  assert.match(refusal(kindOf(on('post.failed', 'post.attempt'), { activities })), /transition for post\.done$/);
  assert.match(refusal(kindOf(on('post.done', 'post.attempt'), { activities })), /transition for post\.failed$/);
  assert.match(refusal(kindOf(on('post.done', 'post.failed'), { activities })), /transition for post\.attempt$/);
  assert.is(refusal(kindOf(on('post.done', 'post.failed', 'post.attempt'), { activities })), '');
});

it('refuses an invalid bound on the next rows, and one for rows that are never open', () => {
  const refuses = (line: object): string =>
    refusal(kindOf(machineOf({}), { collections: { line: { sort: () => 0, ...line } } }));
  const open = (): boolean => true;
  for (const nextMax of [0, -1, 1.5, Number.NaN, NEXT_ROWS_MAX + 1]) {
    assert.match(refuses({ open, nextMax }), /has a nextMax of/);
  }
  assert.match(refuses({ nextMax: 1 }), /nextMax and no open rows/);
  assert.is(refuses({ open, nextMax: NEXT_ROWS_MAX }), '');
});

it('refuses casters of a first version', () => {
  const caster = <T>(saved: T): T => saved;
  assert.throws(() => register({ ...counterKind, upcast: caster }), /first version has nothing to cast/);
  assert.throws(() => register({ ...counterKind, downcast: caster }), /first version has nothing to cast/);
  assert.is(register({ ...counterKind, version: 2, upcast: caster, downcast: caster }).level, 2);
});

it('refuses a part that a chart runs on an event which the part does not accept', () => {
  const guards = {
    wide: guardOn('*', () => true),
    opens: guardOn('open', () => true),
    judged: verdictOn('open', () => 'yes'),
    mixed: and(['wide', not('opens')]),
  };
  const actions = {
    keep: assignOn('open', () => ({})),
    tell: emitOn(['open', 'shut'], () => []),
    any: emitOn('*', () => []),
  };
  const charted = (on: object) => refusal(kindOf(machineOf({ on }, { guards, actions })));
  const judged = { type: 'judged', params: { as: 'yes' } };
  assert.is(charted({ open: { guard: 'mixed', actions: ['keep', 'tell', 'any'] }, shut: { actions: 'tell' } }), '');
  assert.is(charted({ '*': { actions: ['keep', 'any'] }, shut: { guard: 'wide', actions: 'any' } }), '');
  const onShut = 'kind trial: state here: on "shut": ';
  assert.is(charted({ shut: { actions: 'keep' } }), `${onShut}action keep does not accept this event`);
  assert.is(
    charted({ spin: { actions: 'tell' } }),
    `${onShut.replace('shut', 'spin')}action tell does not accept this event`,
  );
  assert.is(charted({ shut: { guard: 'opens' } }), `${onShut}guard opens does not accept this event`);
  assert.is(charted({ shut: { guard: judged } }), `${onShut}guard judged does not accept this event`);
  assert.is(
    charted({ shut: { guard: and(['wide', not('opens')]) } }),
    `${onShut}guard opens does not accept this event`,
  );
});

test.run();
