import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyStateMachine, assign, createActor, createMachine, raise, setup } from 'xstate';
import type { RegisteredKind } from '../../../../../actors/runtime/actor/charts/register.ts';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import type { Snapshot } from '../../../../../actors/runtime/actor/charts/snapshot.ts';
import { step } from '../../../../../actors/runtime/actor/charts/step.ts';
import { type Effect, emit } from '../../../../../actors/runtime/actor/effect.ts';
import type { ActorEvent } from '../../../../../actors/runtime/actor/event.ts';
import { bounded } from '../../../../support/bounded.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { deepFreeze } from '../deep-freeze.ts';

const it = bounded(test);
const STAMPED = { at: 1_000, self: 'trial:a', rows: {} };

const registered = (machine: unknown): RegisteredKind =>
  register({ ...counterKind, name: 'trial', machine: machine as AnyStateMachine, creates: [] });

const stepOn = (kind: RegisteredKind, from: Snapshot | null, event: ActorEvent, stamped = STAMPED) => {
  if (from !== null) deepFreeze(from.context);
  return step(kind, from, deepFreeze(event), deepFreeze(stamped));
};

const counter = register(counterKind);

it('creates the actor with its address, then steps it', () => {
  const { snapshot, effects, from, to } = stepOn(
    counter,
    null,
    { type: 'add', by: 2 },
    { ...STAMPED, self: 'counter:a' },
  );
  assert.equal(snapshot.context, { address: 'counter:a', total: 2, seen: 0, lastAt: 1_000, note: null });
  assert.equal(effects, [{ type: 'reply', body: { total: 2, seen: 0, lastAt: 1_000, note: null } }]);
  assert.equal([from, to], ['absent', 'counting']);
});

it('passes the event to the chart with time, self and rows, which a sender cannot forge', () => {
  const seen: unknown[] = [];
  const machine = setup({
    actions: {
      look: emit(({ event }) => {
        seen.push({ ...(event as object) });
        return [];
      }),
    },
  }).createMachine({ options: { maxIterations: 10 }, on: { look: { actions: 'look' } } } as never);
  const rows = { line: [{ id: '1', body: { a: 1 } }] };
  const event = { type: 'look', more: [1], at: 5, self: 'liar', rows: {} };
  stepOn(registered(machine), null, event as never, { at: 7, self: 'trial:a', rows } as never);
  assert.equal(seen, [{ type: 'look', more: [1], at: 7, self: 'trial:a', rows }]);
});

it('collects effects in the order of the actions, each computed from the context at that point', () => {
  const told = (name: string) =>
    emit<{ n: number }, ActorEvent>(
      ({ context }): Effect => ({ type: 'publish', topic: name, key: '', value: context.n }),
    );
  const machine = setup({
    types: {} as { context: { n: number } },
    actions: {
      up: assign({ n: ({ context }) => (context as { n: number }).n + 1 }),
      exit: told('exit'),
      act: told('act'),
      entry: told('entry'),
      many: emit(() => [
        { type: 'cancel', name: 'one' },
        { type: 'cancel', name: 'two' },
      ]),
    },
  }).createMachine({
    context: { n: 0 },
    options: { maxIterations: 10 },
    initial: 'a',
    states: {
      a: { exit: ['up', 'exit'], on: { go: { target: 'b', actions: ['up', 'act', 'many'] } } },
      b: { entry: ['up', 'entry'] },
    },
  } as never);
  const kind = registered(machine);
  const first = stepOn(kind, null, { type: 'nothing' });
  const { effects, to } = stepOn(kind, first.snapshot, { type: 'go' });
  assert.equal(
    effects.map((effect) => ('topic' in effect ? [effect.topic, effect.value] : effect)),
    [['exit', 1], ['act', 2], { type: 'cancel', name: 'one' }, { type: 'cancel', name: 'two' }, ['entry', 3]],
  );
  assert.is(to, 'b');
});

it('returns the very same snapshot and no effects for an unknown event', () => {
  const { snapshot } = stepOn(counter, null, { type: 'add', by: 1 });
  const again = stepOn(counter, snapshot, { type: 'unheard.of' });
  assert.is(again.snapshot, snapshot);
  assert.equal(again.effects, []);
});

it('returns the very same snapshot when a step only replies', () => {
  const { snapshot } = stepOn(counter, null, { type: 'add', by: 1 });
  const read = stepOn(counter, snapshot, { type: 'read' });
  assert.is(read.snapshot, snapshot);
  assert.is(read.effects.length, 1);
});

it('reports whether a transition was taken, on every path of the step; an empty one counts as taken', () => {
  const parts = setup({ guards: { never: () => false, late: ({ event }) => Number(event.at) > 5_000 } });
  const on = { empty: {}, forbidden: undefined, guarded: { guard: 'never', actions: [] }, moves: '.b' };
  const always = { guard: 'late', target: 'b' };
  const options = { maxIterations: 10 };
  const charts: Readonly<Record<string, object>> = {
    'without regions': { options, initial: 'a', on, states: { a: {}, b: {} } },
    'with eventless transitions': { options, initial: 'a', on, states: { a: { always }, b: {} } },
    'with regions': {
      options,
      type: 'parallel',
      states: { left: { initial: 'a', on, states: { a: {}, b: {} } }, right: {} },
    },
    'with wildcards': { options, initial: 'a', on: { ...on, 'any.*': {} }, states: { a: {}, b: {} } },
  };
  for (const [name, config] of Object.entries(charts)) {
    const kind = registered(parts.createMachine(config as never));
    for (const at of [1_000, 10_000]) {
      const stamped = { ...STAMPED, at };
      const handled = (type: string): boolean => {
        const { snapshot } = stepOn(kind, null, { type: 'empty' });
        const live = stepOn(kind, snapshot, { type }, stamped).handled;
        assert.is(stepOn(kind, null, { type }, stamped).handled, live, `${name}: ${type} makes the actor`);
        return live;
      };
      const types = ['empty', 'forbidden', 'moves', 'guarded', 'unknown'];
      assert.equal(types.map(handled), [true, true, true, false, false], `${name} at ${at}`);
    }
    assert.is(stepOn(kind, null, { type: 'any.thing' }).handled, name === 'with wildcards');
  }
});

it('retains no memory for event types: a million unknown ones leave no entry in XState', () => {
  assert.is(counter.eventTypes?.has('add'), true);
  assert.is(counter.eventTypes?.has('unheard.of'), false);
  const wild = registered(createMachine({ options: { maxIterations: 10 }, on: { 'a.*': {} } } as never));
  assert.is(wild.eventTypes, null);
});

it('throws for a snapshot that has ended, for which XState would run the actions again', () => {
  const { snapshot } = stepOn(counter, null, { type: 'add', by: 1 });
  const ended = stepOn(counter, snapshot, { type: 'finish' });
  assert.is(ended.snapshot.status, 'done');
  assert.throws(() => stepOn(counter, ended.snapshot, { type: 'add', by: 1 }), /has ended/);
});

it('throws the error of an action, and the next step is unaffected', () => {
  const { snapshot } = stepOn(counter, null, { type: 'add', by: 1 });
  assert.throws(() => stepOn(counter, snapshot, { type: 'add', by: 1, poison: true }), /poisoned/);
  assert.is(stepOn(counter, snapshot, { type: 'add', by: 1 }).snapshot.context.total, 2);
});

it('throws the error of creating the first snapshot', () => {
  const machine = createMachine({
    options: { maxIterations: 10 },
    context: () => {
      throw new Error('no beginning');
    },
  } as never);
  assert.throws(() => stepOn(registered(machine), null, { type: 'x' }), /no beginning/);
});

it('ends an endless loop of eventless transitions by throwing', () => {
  const machine = setup({ guards: { always: () => true } }).createMachine({
    options: { maxIterations: 1_000 },
    initial: 'rest',
    states: {
      rest: { on: { go: 'a' } },
      a: { always: { guard: 'always', target: 'b' } },
      b: { always: { guard: 'always', target: 'a' } },
    },
  } as never);
  const kind = registered(machine);
  const { snapshot } = stepOn(kind, null, { type: 'nothing' });
  assert.throws(() => stepOn(kind, snapshot, { type: 'go' }), /Infinite loop/);
  assert.is(stepOn(kind, snapshot, { type: 'nothing' }).snapshot, snapshot);
});

it('ends an endless loop of raised events by throwing', () => {
  const machine = setup({ actions: { again: raise({ type: 'go' }) } }).createMachine({
    options: { maxIterations: 1_000 },
    on: { go: { actions: 'again' } },
  } as never);
  assert.throws(() => stepOn(registered(machine), null, { type: 'go' }), /Infinite loop/);
});

it('throws on a spawn inside assign, and no effect remains', () => {
  let started = 0;
  const child = createMachine({ entry: () => started++ } as never);
  const machine = setup({
    actions: {
      sneak: assign({ child: (({ spawn }: { spawn: (logic: unknown) => unknown }) => spawn(child)) as never }),
    },
  }).createMachine({ context: {}, options: { maxIterations: 10 }, on: { go: { actions: 'sneak' } } } as never);
  const kind = registered(machine);
  const { snapshot } = stepOn(kind, null, { type: 'nothing' });
  assert.throws(() => stepOn(kind, snapshot, { type: 'go' }), /steps are pure/);
  assert.is(started, 0);
  assert.equal(snapshot.children, {});
});

it('throws on any use of self and system that registration cannot detect', () => {
  type Args = { self: { send(event: unknown): void }; system: { get(id: string): unknown } };
  const using = (use: (args: Args) => unknown): RegisteredKind => {
    const act = assign((args) => ({ used: use(args as never) }));
    const config = { context: {}, options: { maxIterations: 10 }, on: { go: { actions: 'act' } } };
    return registered(setup({ actions: { act: act as never } }).createMachine(config as never));
  };
  assert.throws(
    () =>
      stepOn(
        using(({ self }) => self.send({ type: 'x' })),
        null,
        { type: 'go' },
      ),
    /self\.send/,
  );
  assert.throws(
    () =>
      stepOn(
        using(({ system }) => system.get('x')),
        null,
        { type: 'go' },
      ),
    /system\.get/,
  );
});

it('takes the same steps as a started XState actor', () => {
  const bare = createActor(counterKind.machine, { input: { address: 'counter:a' } });
  bare.start();
  let snapshot: Snapshot | null = null;
  for (const [type, by] of [
    ['add', 1],
    ['peek', 0],
    ['nothing', 0],
    ['add', 41],
    ['finish', 0],
  ] as const) {
    const stamped = { at: 10, self: 'counter:a', rows: {} };
    bare.send({ type, by, ...stamped });
    snapshot = stepOn(counter, snapshot, { type, by }, stamped).snapshot;
    assert.equal(snapshot.value, bare.getSnapshot().value);
    assert.equal(snapshot.context, bare.getSnapshot().context);
    assert.is(snapshot.status, bare.getSnapshot().status);
  }
});

test.run();
