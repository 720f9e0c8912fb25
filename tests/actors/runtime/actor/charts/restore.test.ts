import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyStateMachine, createMachine } from 'xstate';
import type { RegisteredKind } from '../../../../../actors/runtime/actor/charts/register.ts';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import { persist, persistAt, RestoreRefused, restore } from '../../../../../actors/runtime/actor/charts/snapshot.ts';
import { step } from '../../../../../actors/runtime/actor/charts/step.ts';
import type { SavedState } from '../../../../../actors/runtime/actor/kind.ts';
import { bounded } from '../../../../support/bounded.ts';
import { counterKind } from '../../../example-kinds/counter.ts';

const it = bounded(test);
const STAMPED = { at: 1, self: 'trial:a', rows: {} };

const registered = (config: object, version = 1): RegisteredKind =>
  register({
    ...counterKind,
    name: 'trial',
    creates: [],
    version,
    machine: createMachine({
      context: {},
      options: { maxIterations: 10 },
      ...config,
    } as never) as unknown as AnyStateMachine,
  });

const parallel = (...regions: string[]): object => ({
  type: 'parallel',
  states: Object.fromEntries(
    regions.map((region) => [region, { initial: 'off', states: { off: { on: { [region]: 'on' } }, on: {} } }]),
  ),
});

const saved = (snapshot: object | string, chart = 1) => ({
  address: 'trial:a',
  chart,
  snapshot: typeof snapshot === 'string' ? snapshot : JSON.stringify(snapshot),
});

const refuses = (kind: RegisteredKind, what: ReturnType<typeof saved>, why: RegExp): void => {
  try {
    restore(kind, what);
  } catch (error) {
    assert.instance(error, RestoreRefused);
    assert.is((error as RestoreRefused).address, 'trial:a');
    assert.match((error as RestoreRefused).message, why);
    return;
  }
  assert.unreachable('it was restored');
};

it('restores a persisted snapshot, and steps on exactly as the original', () => {
  const kind = registered(parallel('left', 'right'));
  const live = step(kind, null, { type: 'left' }, STAMPED).snapshot;
  const back = restore(kind, saved(persist(live)));
  assert.equal(back.value, live.value);
  assert.equal(
    step(kind, back, { type: 'right' }, STAMPED).snapshot.value,
    step(kind, live, { type: 'right' }, STAMPED).snapshot.value,
  );
});

it('persists only state value, context and status', () => {
  const live = step(register(counterKind), null, { type: 'add', by: 1 }, STAMPED).snapshot;
  assert.equal(Object.keys(JSON.parse(persist(live))), ['value', 'context', 'status']);
});

it('restores an actor that has ended as ended', () => {
  const kind = registered({ initial: 'a', states: { a: { on: { end: 'z' } }, z: { type: 'final' } } });
  const ended = step(kind, null, { type: 'end' }, STAMPED).snapshot;
  assert.is(restore(kind, saved(persist(ended))).status, 'done');
});

it('refuses a saved value that lacks a region of the chart, which XState would add silently', () => {
  const before = step(registered(parallel('left')), null, { type: 'left' }, STAMPED).snapshot;
  refuses(registered(parallel('left', 'right')), saved(persist(before)), /saved in state .* the chart makes it/);
});

it('refuses a saved value with a state that the chart no longer has (rule N11)', () => {
  refuses(registered(parallel('left')), saved({ value: { left: 'gone' }, context: {}, status: 'active' }), /gone/);
  refuses(registered(parallel('left')), saved({ value: { gone: 'off' }, context: {}, status: 'active' }), /gone/);
});

it('refuses a saved value of a state that has substates now', () => {
  const deep = { initial: 'a', states: { a: { initial: 'x', states: { x: {} } } } };
  refuses(registered(deep), saved({ value: 'a', context: {}, status: 'active' }), /the chart makes it/);
});

it('accepts a saved value whose regions are in another order', () => {
  const value = { right: 'on', left: 'off' };
  const back = restore(registered(parallel('left', 'right')), saved({ value, context: {}, status: 'active' }));
  assert.equal(back.value, { left: 'off', right: 'on' });
});

it('refuses a snapshot of a newer chart, and one of an older chart without a caster', () => {
  const kind = registered(parallel('left'), 2);
  const snapshot = { value: { left: 'off' }, context: {}, status: 'active' };
  refuses(kind, saved(snapshot, 3), /chart 3, this build has 2/);
  refuses(kind, saved(snapshot, 1), /chart 1, this build loads from 2 on/);
});

it('upcasts a snapshot of the previous chart, and checks the result against its own chart', () => {
  const from = parallel('left');
  const upcast = (was: SavedState): SavedState => ({ ...was, value: { ...(was.value as object), right: 'off' } });
  const kind = { ...registered(parallel('left', 'right'), 2), upcast };
  const before = step(registered(from), null, { type: 'left' }, STAMPED).snapshot;
  assert.equal(restore(kind, saved(persist(before))).value, { left: 'on', right: 'off' });
  refuses({ ...kind, upcast: (was) => was }, saved(persist(before)), /the chart makes it/);
  refuses({ ...kind, version: 3 }, saved(persist(before)), /chart 1, this build loads from 2 on/);
  const thrower = (): never => {
    throw new Error('no way up');
  };
  refuses({ ...kind, upcast: thrower }, saved(persist(before)), /up-caster threw: no way up/);
});

it('persists at the configured level with its downcaster', () => {
  const downcast = (is: SavedState): SavedState => ({ ...is, value: { left: (is.value as { left: string }).left } });
  const kind = { ...registered(parallel('left', 'right'), 2), downcast };
  const live = step(kind, null, { type: 'left' }, STAMPED).snapshot;
  assert.equal(JSON.parse(persistAt(kind, live)).value, { left: 'on', right: 'off' });
  kind.level = 1;
  assert.equal(JSON.parse(persistAt(kind, live)), { value: { left: 'on' }, context: {}, status: 'active' });
});

it('refuses a status that does not match the state', () => {
  const kind = registered({ initial: 'a', states: { a: {}, z: { type: 'final' } } });
  refuses(kind, saved({ value: 'z', context: {}, status: 'active' }), /saved as active/);
  refuses(kind, saved({ value: 'a', context: {}, status: 'error' }), /has the status error/);
});

it('refuses a text that is not a snapshot', () => {
  const kind = registered({});
  for (const text of ['', '{', 'null', '[]', '{"value":"a"}', '{"context":{}}']) refuses(kind, saved(text), /snapshot/);
});

test.run();
