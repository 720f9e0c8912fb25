/**
 * The pace of the machine: how many times longer a fixed piece of work takes beside everything that runs at present than
 * alone on the machine of reference; at least 1. The test runner measures it again and again during a run. Every time
 * limit of the tests, and of the runner itself, is a multiple of it.
 */

/** The duration of the work alone on one core of the machine of reference (3 GHz). */
const ALONE_MS = 40;
const ROUNDS = 30_000_000;
/**
 * A test may still wait for what was slow a moment ago, so the pace is among the slowest of the last measurements. The two
 * slowest are left out: one stall in the middle of a measurement says nothing about the machine.
 */
const MEASUREMENTS_MAX = 12;
const STALLS = 2;

export class Pace {
  #last = [];

  /** Blocks for the piece of work. */
  measure(work = spin, now = () => performance.now()) {
    const before = now();
    work();
    this.#last = [...this.#last, (now() - before) / ALONE_MS].slice(-MEASUREMENTS_MAX);
    return this.value;
  }

  get value() {
    const slowestFirst = [...this.#last].sort((a, b) => b - a);
    return Math.max(1, slowestFirst[STALLS] ?? slowestFirst.at(-1) ?? 1);
  }
}

/** Each round needs the result of the one before, so no compiler shortens it. */
function spin() {
  let sum = 1;
  for (let round = 0; round < ROUNDS; round++) sum = (Math.imul(sum, 1_664_525) + 1_013_904_223) | 0;
  return sum;
}
