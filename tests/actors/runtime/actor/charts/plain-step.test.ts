import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyStateMachine, assign, not, raise, setup } from 'xstate';
import { plainStep } from '../../../../../actors/runtime/actor/charts/plain-step.ts';
import type { RegisteredKind } from '../../../../../actors/runtime/actor/charts/register.ts';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import { step } from '../../../../../actors/runtime/actor/charts/step.ts';
import { type Effect, emit } from '../../../../../actors/runtime/actor/effect.ts';
import type { ActorEvent } from '../../../../../actors/runtime/actor/event.ts';
import { bounded } from '../../../../support/bounded.ts';
import { xstateStep } from '../../../../support/model/xstate-step.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { deepFreeze } from '../deep-freeze.ts';

const it = bounded(test);
const STAMPED = { at: 1_000, self: 'trial:a', rows: {} };

interface Tally {
  readonly n: number;
  readonly last: string;
  readonly left: number;
}

const registered = (machine: unknown): RegisteredKind =>
  register({ ...counterKind, name: 'trial', machine: machine as AnyStateMachine, creates: [] });

const START: Tally = { n: 1, last: '', left: 5 };

const parts = setup({
  types: {} as { context: Tally; events: ActorEvent & { readonly by?: number } },
  guards: {
    isOdd: ({ context }) => context.n % 2 === 1,
    isMore: ({ context }, params: { readonly than: number }) => context.n > params.than,
    isEven: not('isOdd'),
    fails: ({ context }) => {
      if (context.n > 6) throw new Error('more than six');
      return false;
    },
  },
  actions: {
    count: assign({ n: ({ context, event }) => context.n + (event.by ?? 1), last: 'counted' }),
    swap: assign(({ context }) => ({ n: context.left, left: context.n })),
    clear: assign({ n: 0 }),
    replace: assign(({ context, event }) => ({ ...context, n: event.by ?? 7, last: `was ${context.n}` })),
    keep: assign(({ context }) => context),
    turn: assign(({ context: { n, last, left } }) => ({ left: n, n: left, last })),
    nothing: assign(() => ({})),
    mark: assign({ last: (_, params: { readonly as: string }) => params.as }),
    tell: emit<Tally, ActorEvent>(({ context }): Effect => ({ type: 'reply', body: context.n })),
    tellTwice: emit<Tally, ActorEvent>(({ context }): readonly Effect[] => [
      { type: 'publish', topic: 'a', key: context.last, value: context.n },
      { type: 'publish', topic: 'b', key: context.last, value: context.left },
    ]),
    tellNothing: emit(() => []),
    again: raise({ type: 'count' }),
    spawns: assign(({ spawn }) => ({ n: (spawn as (logic: string) => unknown)('x') as number })),
    looks: assign(({ self }) => ({ last: String((self as { readonly id: string }).id) })),
  },
});

/** A chart of these parts; an endless one stops after so many rounds. */
const chartOf = (members: object, maxIterations = 10): RegisteredKind =>
  registered(parts.createMachine({ context: START, options: { maxIterations }, ...members } as never));

/**
 * A chart with every allowed construct: staying, moving, raising, guards with parameters, parallel regions, reentry.
 */
const chart = chartOf({
  type: 'parallel',
  states: {
    near: {
      initial: 'on',
      states: {
        on: {
          entry: 'tellTwice',
          on: {
            count: [{ guard: 'isOdd', actions: ['count', 'tell', 'count'] }, { actions: ['tellTwice', 'count'] }],
            move: 'off',
            both: { actions: ['count', 'tellTwice'] },
            enter: { target: 'on', reenter: true, actions: 'count' },
            mark: {
              actions: { type: 'mark', params: ({ context }: { context: Tally }) => ({ as: `m${context.n}` }) },
            },
          },
        },
        off: { on: { move: { target: 'on', actions: 'swap' }, count: { guard: not('isOdd'), actions: 'clear' } } },
      },
    },
    far: {
      on: {
        both: { actions: ['swap', 'tell'] },
        again: { actions: ['again', 'tellNothing'] },
        more: { guard: { type: 'isMore', params: { than: 3 } }, actions: ['tell', 'tell', 'clear'] },
      },
    },
  },
});

/** The same without regions: a flat chart, whose steps without a target are plain. */
const flat = chartOf({
  initial: 'on',
  states: {
    on: {
      on: {
        count: [
          { guard: 'isOdd', actions: ['count', 'tell', 'count'] },
          { guard: { type: 'isMore', params: { than: 3 } }, actions: ['replace', 'tellTwice'] },
          { actions: ['tellTwice', 'tell', 'count'] },
        ],
        both: [{ guard: 'isOdd', target: 'off' }, { actions: ['turn', 'tellNothing'] }],
        more: {
          guard: {
            type: 'isMore',
            params: ({ event }: { event: { readonly by?: number } }) => ({ than: event.by ?? 0 }),
          },
          actions: ['keep', 'tell'],
        },
        move: 'off',
        again: { actions: 'again' },
        mark: {},
      },
    },
    off: {
      on: {
        move: { target: 'on', actions: 'swap' },
        both: { guard: 'isEven', actions: 'nothing' },
        count: { guard: not('isOdd'), actions: 'clear' },
        more: [{ guard: 'fails', actions: 'tell' }],
        enter: { target: 'off', reenter: true, actions: 'count' },
      },
    },
  },
  on: {
    count: { actions: ['mark', 'swap'] },
    more: { actions: 'count' },
    both: { actions: 'count' },
    mark: { actions: { type: 'mark', params: { as: 'rooted' } } },
    enter: { actions: { type: 'mark', params: ({ context }: { context: Tally }) => ({ as: `m${context.n}` }) } },
  },
});

/** With eventless transitions, some of them endless. */
const eventless = chartOf(
  {
    initial: 'on',
    states: {
      on: {
        always: [
          { guard: { type: 'isMore', params: { than: 9 } }, target: 'off' },
          { guard: { type: 'isMore', params: { than: 6 } }, actions: ['count', 'tell'] },
          { guard: 'isOdd', actions: 'tellTwice' },
        ],
        on: { count: { actions: ['count', 'tell'] }, both: { actions: ['turn', 'tell'] }, move: 'off', mark: {} },
      },
      off: {
        always: [{ guard: { type: 'isMore', params: { than: 20 } }, actions: 'clear' }, { guard: 'fails' }],
        on: {
          move: { target: 'on', actions: 'swap' },
          count: { actions: ['count', 'count'] },
          again: { actions: 'again' },
        },
      },
    },
    on: { more: { actions: 'replace' }, both: { actions: 'turn' }, enter: { actions: 'clear' } },
  },
  4,
);

const TYPES = ['count', 'move', 'both', 'enter', 'mark', 'again', 'more', 'unknown'] as const;
const thrown = (take: () => object): object => {
  try {
    return take();
  } catch (error) {
    return { error: String(error) };
  }
};

for (const [name, kind] of Object.entries({
  'with regions': chart,
  'without regions': flat,
  'that goes on by itself': eventless,
})) {
  it(`equals XState's algorithm for every kind of transition of a chart ${name}`, () => {
    let plain = 0;
    let failed = 0;
    const event = fc.record({ type: fc.constantFrom(...TYPES), by: fc.integer({ min: -3, max: 3 }) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let { snapshot } = step(kind, null, { type: 'count' }, STAMPED);
        for (const each of events) {
          deepFreeze(snapshot.context);
          const whole = thrown(() => xstateStep(kind, snapshot, each, STAMPED));
          const stepped = thrown(() => {
            if (plainStep(kind, snapshot, { ...each, ...STAMPED }) !== null) plain++;
            const result = step(kind, snapshot, each, STAMPED);
            snapshot = result.snapshot;
            const { value, context, status } = snapshot;
            return { value, context, status, effects: result.effects, handled: result.handled };
          });
          assert.equal(stepped, whole);
          if ('error' in stepped) failed++;
        }
      }),
      { numRuns: 500, seed: 7 },
    );
    if (kind === chart) assert.is(plain, 0);
    else assert.ok(plain > 1_000, `${plain} steps were plain`);
    assert.is(failed > 0, kind !== chart);
  });
}

it("creates a snapshot with exactly XState's members, in XState's order", () => {
  const { snapshot } = step(flat, null, { type: 'mark' }, STAMPED);
  const plain = step(flat, snapshot, { type: 'count' }, STAMPED).snapshot;
  const moved = step(flat, plain, { type: 'move' }, STAMPED).snapshot;
  assert.equal(Object.keys(plain), Object.keys(moved));
  assert.equal({ ...plain, context: null }, { ...snapshot, context: null });
});

it('leaves targets, reentry, raised events, built-in guards and throwing guards to XState', () => {
  const on = step(flat, null, { type: 'mark' }, STAMPED).snapshot;
  const off = step(flat, on, { type: 'move' }, STAMPED).snapshot;
  const many = step(flat, on, { type: 'count', by: 8 }, STAMPED).snapshot;
  const isPlain = (from: typeof on) => (type: string) => plainStep(flat, from, { type, ...STAMPED }) !== null;
  assert.equal(['count', 'mark', 'enter', 'unknown'].map(isPlain(on)), [true, true, true, true]);
  assert.equal(['move', 'both', 'again'].map(isPlain(on)), [false, false, false]);
  assert.equal(['more', 'unknown'].map(isPlain(off)), [true, true]);
  assert.equal(['move', 'enter', 'both', 'count'].map(isPlain(off)), [false, false, false, false]);
  assert.is(isPlain(step(flat, many, { type: 'move' }, STAMPED).snapshot)('more'), false);
});

it('leaves charts with regions, with wildcards or without states to XState', () => {
  const events = { count: { actions: 'count' } };
  const states = { on: { on: events } };
  const isPlain = (kind: RegisteredKind) => {
    const { snapshot } = step(kind, null, { type: 'none' }, STAMPED);
    return plainStep(kind, snapshot, { type: 'count', ...STAMPED }) !== null;
  };
  assert.is(isPlain(chartOf({ initial: 'on', states })), true);
  assert.is(isPlain(chartOf({ initial: 'on', states, on: { '*': { actions: 'tell' } } })), false);
  assert.is(isPlain(chartOf({ initial: 'outer', states: { outer: { initial: 'on', states } } })), false);
  assert.is(isPlain(chartOf({ on: events })), false);
  assert.is(isPlain(chart), false);
});

it('leaves eventless transitions with a target to XState', () => {
  const moving = chartOf({
    initial: 'few',
    states: { few: { always: { guard: { type: 'isMore', params: { than: 3 } }, target: 'many' } }, many: {} },
    on: { count: { actions: 'count' } },
  });
  let at = step(moving, null, { type: 'count' }, STAMPED).snapshot;
  for (let i = 0; i < 3; i++) at = step(moving, at, { type: 'count' }, STAMPED).snapshot;
  assert.is(at.value, 'many');
});

it('stops in the same round as XState, even if the last transition assigns nothing', () => {
  for (const maxIterations of [1, 2, 3]) {
    const kind = chartOf(
      {
        context: { n: 0, last: '', left: 0 },
        initial: 'on',
        states: {
          on: {
            always: [
              { guard: 'isOdd', actions: 'count' },
              { guard: { type: 'isMore', params: { than: 1 } }, actions: 'tell' },
            ],
          },
        },
        on: { count: { actions: 'count' } },
      },
      maxIterations,
    );
    const { snapshot } = step(kind, null, { type: 'unknown' }, STAMPED);
    const take = () => step(kind, snapshot, { type: 'count' }, STAMPED).effects;
    if (maxIterations < 3) assert.throws(take, /Infinite loop/);
    else assert.is(take().length, 1);
  }
});

it('returns the very same snapshot when nothing is assigned', () => {
  const { snapshot } = step(chart, null, { type: 'count' }, STAMPED);
  assert.is(step(chart, snapshot, { type: 'again-never' }, STAMPED).snapshot, snapshot);
  const told = step(
    chart,
    step(chart, snapshot, { type: 'count', by: 9 }, STAMPED).snapshot,
    { type: 'more' },
    STAMPED,
  );
  assert.is(told.effects.length, 2);
});

it('lets an assign neither spawn children nor access its actor', () => {
  for (const name of ['spawns', 'looks']) {
    const kind = chartOf({ initial: 'on', states: { on: { on: { go: { actions: name } } } } });
    const { snapshot } = step(kind, null, { type: 'none' }, STAMPED);
    assert.throws(() => step(kind, snapshot, { type: 'go' }, STAMPED), /steps are pure/);
  }
});

test.run();
