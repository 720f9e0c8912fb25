/**
 * A test kind that stores the reply of a turn and sends its settlement to the account, in one commit, as a line of a
 * batch does.
 */
import { assign, setup } from 'xstate';
import { emit } from '../../../actors/runtime/actor/effect.ts';
import type { ActorEvent, Stamped } from '../../../actors/runtime/actor/event.ts';
import { testKind } from '../../support/test-kind.ts';

interface Line {
  readonly reply: string | null;
}

type LineEvent = ActorEvent & Stamped;

const lineMachine = setup({
  types: {} as { context: Line; events: LineEvent; input: { address: string } },
  actions: {
    keep: assign({ reply: ({ event }) => String(event.reply) }),
    settle: emit<Line, LineEvent>(({ event }) => ({
      type: 'send',
      to: String(event.account),
      event: { type: 'hold.settle', settlement: event.settlement ?? null },
    })),
    answer: emit<Line, LineEvent>(({ context }) => ({ type: 'reply', body: context.reply })),
  },
}).createMachine({
  id: 'line',
  initial: 'open',
  context: { reply: null },
  options: { maxIterations: 100 },
  states: {
    open: {
      on: {
        'line.end': { actions: ['keep', 'settle'] },
        'line.show': { actions: 'answer' },
      },
    },
  },
});

export const lineKind = testKind({
  name: 'line',
  machine: lineMachine,
  creates: ['line.end', 'line.show'],
});
