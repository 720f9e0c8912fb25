import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { setup } from 'xstate';
import { assignOn, emitOn, guardOn, verdictOn } from '../../../../actors/runtime/actor/chart.ts';
import { register } from '../../../../actors/runtime/actor/charts/register.ts';
import { step } from '../../../../actors/runtime/actor/charts/step.ts';
import type { ActorEvent, Stamped } from '../../../../actors/runtime/actor/event.ts';
import { bounded } from '../../../support/bounded.ts';
import { xstateStep } from '../../../support/model/xstate-step.ts';
import { counterKind } from '../../example-kinds/counter.ts';

const it = bounded(test);
const STAMPED = { at: 1_000, self: 'trial:a', rows: {} };

interface Tally {
  readonly n: number;
  readonly last: string;
}

type Add = Stamped & { readonly type: 'add' | 'twice'; readonly by: number };
type Read = Stamped & { readonly type: 'read' };

let judged = 0;

function size({ n }: Tally, { by }: Add): 'small' | 'large' | 'huge' {
  judged++;
  if (n + by > 100) return 'huge';
  return n + by > 10 ? 'large' : 'small';
}

const machine = setup({
  types: {} as { context: Tally; events: Add | Read; input: { address: string } },
  guards: {
    sizes: verdictOn(['add', 'twice'], size),
    isZero: guardOn('*', ({ n }: Tally) => n === 0),
    addsNothing: guardOn('add', (_: Tally, { by }: Add) => by === 0),
  },
  actions: {
    add: assignOn(['add', 'twice'], ({ n }: Tally, { by, type }: Add) => ({ n: n + by, last: type })),
    mark: assignOn('*', (_: Tally, { at }, { as }: { readonly as: string }) => ({ last: `${as} ${at}` })),
    answer: emitOn('*', ({ n, last }: Tally) => ({ type: 'reply', body: { n, last } })),
    onlyForRead: emitOn('read', ({ n }: Tally, { type }: Read) => ({ type: 'reply', body: `${type} ${n}` })),
  },
}).createMachine({
  context: { n: 1, last: '' },
  options: { maxIterations: 10 },
  initial: 'even',
  states: { even: {}, odd: { entry: 'onlyForRead' } },
  on: {
    add: [
      { guard: 'addsNothing', target: '.odd' },
      { guard: { type: 'sizes', params: { as: 'huge' } } },
      {
        guard: { type: 'sizes', params: { as: ['large'] } },
        actions: ['add', { type: 'mark', params: { as: 'big' } }],
      },
      { guard: { type: 'sizes', params: { as: 'small' } }, actions: ['add', 'answer'] },
    ],
    read: [{ guard: 'isZero' }, { actions: 'onlyForRead' }],
  },
});

const kind = register({ ...counterKind, name: 'trial', machine, creates: [] });
const first = () => step(kind, null, { type: 'none' }, STAMPED).snapshot;
const after = (event: ActorEvent) => step(kind, first(), event, STAMPED);

it('a bound action changes the context and returns effects, in the order of the chart', () => {
  const { snapshot, effects } = after({ type: 'add', by: 2 });
  assert.equal(snapshot.context, { n: 3, last: 'add' });
  assert.equal(effects, [{ type: 'reply', body: { n: 3, last: 'add' } }]);
});

it('an action receives the parameters of its place in the chart', () => {
  assert.equal(after({ type: 'add', by: 20 }).snapshot.context, { n: 21, last: 'big 1000' });
});

it('the verdict of an event is computed once, and again for the next event', () => {
  judged = 0;
  after({ type: 'add', by: 3 });
  assert.is(judged, 1, 'three transitions asked');
  after({ type: 'add', by: 3 });
  assert.is(judged, 2);
  const { snapshot } = after({ type: 'add', by: 9 });
  assert.equal(step(kind, snapshot, { type: 'add', by: 95 }, STAMPED).snapshot, snapshot, 'another context');
});

it('a part that a chart runs on another event throws', () => {
  assert.throws(() => after({ type: 'add', by: 0 }), /a part of a chart for read was called for add/);
});

it('XState takes the same steps', () => {
  for (const event of [{ type: 'add', by: 2 }, { type: 'add', by: 20 }, { type: 'add', by: 200 }, { type: 'read' }]) {
    const expected = xstateStep(kind, first(), event, STAMPED);
    const { snapshot, effects, handled } = after(event);
    assert.equal(snapshot.context, expected.context);
    assert.equal(effects, expected.effects);
    assert.is(handled, expected.handled);
  }
});

test.run();
