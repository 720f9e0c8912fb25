/** The pure step beside bare XState: the same chart, stepped here and sent to a started actor there. */
import { assign, createActor, setup } from 'xstate';
import { register } from '../../actors/runtime/actor/charts/register.ts';
import type { Snapshot } from '../../actors/runtime/actor/charts/snapshot.ts';
import { step } from '../../actors/runtime/actor/charts/step.ts';
import { emit } from '../../actors/runtime/actor/effect.ts';
import type { ActorEvent, Stamped } from '../../actors/runtime/actor/event.ts';

interface Balance {
  readonly address: string;
  readonly balance: number;
  readonly debits: number;
}
type BalanceEvent = ActorEvent & Stamped;

const machine = setup({
  types: {} as { context: Balance; events: BalanceEvent; input: { address: string } },
  guards: { covers: ({ context, event }) => context.balance >= Number(event.amount) },
  actions: {
    debit: assign({
      balance: ({ context, event }) => context.balance - Number(event.amount),
      debits: ({ context }) => context.debits + 1,
    }),
    answer: emit<Balance, BalanceEvent>(({ context }) => ({ type: 'reply', body: context.balance })),
  },
}).createMachine({
  id: 'balance',
  initial: 'open',
  context: ({ input }) => ({ address: input.address, balance: 1e12, debits: 0 }),
  options: { maxIterations: 1_000 },
  states: { open: { on: { debit: [{ guard: 'covers', actions: ['debit', 'answer'] }] } } },
});

const STEPS = 100_000;
const ROUNDS = 5;

export interface Figure {
  readonly name: string;
  readonly ours: number;
  readonly baseline: number;
  readonly unit: string;
}

/** Steps per second, ours and bare `actor.send`; the best of five alternating rounds each. */
export async function benchStep(): Promise<Figure> {
  let ours = 0;
  let baseline = 0;
  for (let round = 0; round < ROUNDS; round++) {
    baseline = Math.max(baseline, bare());
    ours = Math.max(ours, pure());
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { name: 'pure step', ours, baseline, unit: 'steps/s' };
}

function pure(): number {
  const kind = register({
    name: 'balance',
    machine,
    version: 1,
    creates: ['debit'],
    finishes: [],
    volatile: [],
    collections: {},
    explain: () => [],
    redact: (context) => context,
  });
  let snapshot: Snapshot | null = null;
  let effects = 0;
  const stamped = { at: 1, self: 'balance:a', rows: {} };
  const start = performance.now();
  for (let i = 0; i < STEPS; i++) {
    const result = step(kind, snapshot, { type: 'debit', amount: 1 }, stamped);
    snapshot = result.snapshot;
    effects += result.effects.length;
  }
  const perSecond = (STEPS * 1_000) / (performance.now() - start);
  if (effects !== STEPS || snapshot?.context.debits !== STEPS) throw new Error('the pure steps end in another state');
  return perSecond;
}

function bare(): number {
  const actor = createActor(machine, { input: { address: 'balance:a' } });
  actor.start();
  const stamped = { at: 1, self: 'balance:a', rows: {} };
  const start = performance.now();
  for (let i = 0; i < STEPS; i++) actor.send({ type: 'debit', amount: 1, ...stamped });
  const perSecond = (STEPS * 1_000) / (performance.now() - start);
  if (actor.getSnapshot().context.debits !== STEPS) throw new Error('the bare steps end in another state');
  actor.stop();
  return perSecond;
}

if (process.argv[1]?.endsWith('step.bench.ts')) {
  const { name, ours, baseline, unit } = await benchStep();
  const share = Math.round((ours / baseline) * 100);
  process.stdout.write(`${name}: ${Math.round(ours)} ${unit}, bare ${Math.round(baseline)} (${share} %)\n`);
}
