import { counterKind } from '../actors/example-kinds/counter.ts';
import { openBenchStore } from './bench-store.ts';
import { askOf, owningEngines } from './owning-engines.ts';

/** Lateness of timers in ms, and their number per second. */
export interface TimersResult {
  readonly ours: Lateness;
  readonly bare: Lateness;
}

export interface Lateness {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/**
 * Sets one timer per actor and second, then waits until each has fired and its step is on the disk; before that as many
 * bare `setTimeout`s in the same process: `timers-engine DATABASE PER_SECOND SECONDS`; answers over IPC.
 */
const [path = '', perSecondText = '', secondsText = ''] = process.argv.slice(2);
const perSecond = Number(perSecondText);
const seconds = Number(secondsText);
const total = perSecond * seconds;
const AT_ONCE = 500;
/** Time from setting to the first due time: long enough to set all timers. */
const SET_MS = 6_000;
/** Interval between due times in ms; they are spread evenly. */
const STEP_MS = 1_000 / perSecond;

function lateness(late: number[]): Lateness {
  late.sort((a, b) => a - b);
  const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? Number.NaN;
  return { perSecond, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

function bare(): Promise<Lateness> {
  return new Promise((resolve) => {
    const late: number[] = [];
    const base = performance.now() + 500;
    for (let turn = 0; turn < total; turn++) {
      const dueAt = base + turn * STEP_MS;
      setTimeout(() => {
        late.push(performance.now() - dueAt);
        if (late.length === total) resolve(lateness(late));
      }, dueAt - performance.now());
    }
  });
}

async function ours(): Promise<Lateness> {
  const late: number[] = [];
  let rung: (value: Lateness) => void = () => {};
  const all = new Promise<Lateness>((resolve) => {
    rung = resolve;
  });
  const dueTimes = new Map<string, readonly number[]>();
  // The n-th timer of an actor that fires raises its total to n.
  const published = ({ key, value }: { readonly key: string; readonly value: unknown }): void => {
    late.push(Date.now() - (dueTimes.get(key)?.[Number(value) - 1] ?? Number.NaN));
    if (late.length === total) rung(lateness(late));
  };
  const open = await owningEngines(await openBenchStore(path), 'timers');
  const ask = askOf(open({ kinds: [counterKind], published }));
  const base = Date.now() + SET_MS;
  const set = async (actor: number): Promise<void> => {
    const dueAt = Array.from({ length: seconds }, (_, second) => base + Math.ceil(second * 1_000 + actor * STEP_MS));
    const address = `counter:a${actor}`;
    dueTimes.set(address, dueAt);
    const answer = await ask(address, { type: 'remind', dueAt, payload: { type: 'publish', by: 1 } });
    if (!answer.ok) throw new Error(answer.failure.code);
  };
  for (let actor = 0; actor < perSecond; actor += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, perSecond - actor) }, (_, at) => set(actor + at)));
  }
  if (Date.now() >= base) throw new Error('the timers were not set before the first was due');
  return all;
}

const result: TimersResult = { bare: await bare(), ours: await ours() };
process.send?.(result, () => process.exit(0));
