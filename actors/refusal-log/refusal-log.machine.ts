/**
 * The newest refused requests of one account as a chart. A refused request has no hold, so it leaves no record elsewhere.
 * The gateways report them a moment after the answer; the oldest of `REFUSALS_MAX` is replaced.
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { RefusedRequest } from '../terms/refused-request.ts';

export interface RefusalLogState {
  readonly address: string;
  /** How many were ever noted: names the next row. */
  readonly noted: number;
}

type RefusalLogNote = Stamped & {
  readonly type: 'refusal.note';
  /** Oldest first. */
  readonly refused: readonly RefusedRequest[];
};

export const REFUSAL_LOG = 'refusal-log';
export const REFUSALS_MAX = 20;

export const refusalLogMachine = setup({
  types: {} as { context: RefusalLogState; events: RefusalLogNote; input: { address: string } },
  actions: {
    putNewest: emitOn('refusal.note', putNewest),
    count: assignOn('refusal.note', ({ noted }: RefusalLogState, { refused }: RefusalLogNote) => ({
      noted: noted + refused.length,
    })),
  },
}).createMachine({
  id: REFUSAL_LOG,
  initial: 'open',
  context: ({ input }) => ({ address: input.address, noted: 0 }),
  options: { maxIterations: 1000 },
  states: { open: { on: { 'refusal.note': { actions: ['putNewest', 'count'] } } } },
});

/** From the state before they are counted. */
function putNewest({ noted }: RefusalLogState, { refused }: RefusalLogNote): readonly Effect[] {
  return refused.slice(-REFUSALS_MAX).map((one, at) => {
    const nth = noted + Math.max(0, refused.length - REFUSALS_MAX) + at;
    return { type: 'put', collection: REFUSAL_LOG, id: String(nth % REFUSALS_MAX), body: plain(one) };
  });
}
