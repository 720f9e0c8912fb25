/** The pure step beside bare XState: the same chart, stepped here and sent to a started actor there. */
import { createActor } from 'xstate';
import { register } from '../../actors/runtime/actor/charts/register.ts';
import type { Snapshot } from '../../actors/runtime/actor/charts/snapshot.ts';
import { step } from '../../actors/runtime/actor/charts/step.ts';
import { purseKind, purseMachine } from '../actors/example-kinds/purse.ts';
import { DEBIT, OPEN } from './purse-events.ts';

const STEPS = 100_000;
const ROUNDS = 5;
const LEFT = Number(OPEN.amount) - STEPS;
const STAMPED = { at: 1, self: 'purse:a', rows: {} };

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
  const kind = register(purseKind);
  let snapshot: Snapshot | null = step(kind, null, OPEN, STAMPED).snapshot;
  let effects = 0;
  const start = performance.now();
  for (let i = 0; i < STEPS; i++) {
    const result = step(kind, snapshot, DEBIT, STAMPED);
    snapshot = result.snapshot;
    effects += result.effects.length;
  }
  const perSecond = (STEPS * 1_000) / (performance.now() - start);
  if (effects !== STEPS || snapshot?.context.amount !== LEFT) throw new Error('the pure steps end in another state');
  return perSecond;
}

function bare(): number {
  const actor = createActor(purseMachine);
  actor.start();
  actor.send({ ...OPEN, ...STAMPED });
  const start = performance.now();
  for (let i = 0; i < STEPS; i++) actor.send({ ...DEBIT, ...STAMPED });
  const perSecond = (STEPS * 1_000) / (performance.now() - start);
  if (actor.getSnapshot().context.amount !== LEFT) throw new Error('the bare steps end in another state');
  actor.stop();
  return perSecond;
}

if (process.argv[1]?.endsWith('step.bench.ts')) {
  const { name, ours, baseline, unit } = await benchStep();
  const share = Math.round((ours / baseline) * 100);
  process.stdout.write(`${name}: ${Math.round(ours)} ${unit}, bare ${Math.round(baseline)} (${share} %)\n`);
}
