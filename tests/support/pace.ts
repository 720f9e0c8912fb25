/**
 * Time limits of tests, as multiples of the measured pace of the machine (`scripts/pace.mjs`). The runner measures it
 * during the run and passes it in a file; a test file that runs alone measures it itself, at its first limit and again
 * later. A limit only ends what hangs; no test waits for one.
 */
import { readFileSync } from 'node:fs';

interface Measured {
  /** Blocks for some 40 ms of CPU time. */
  measure(): number;
}
const script = new URL('../../scripts/pace.mjs', import.meta.url).href;
const { Pace } = (await import(script)) as { readonly Pace: new () => Measured };

const AGAIN_MS = 5_000;
const own = new Pace();
let known = 1;
let knownAt = Number.NEGATIVE_INFINITY;

/** How many times slower than an idle machine this one is at present; at least 1. */
export function pace(): number {
  const now = performance.now();
  if (now - knownAt < AGAIN_MS) return known;
  const file = process.env.TROUPE_PACE_FILE;
  known = file === undefined ? own.measure() : Number(readFileSync(file, 'utf8'));
  knownAt = performance.now();
  return known;
}

/** The limit at the present pace, for calls that take a number. */
export function paced(limitMs: number): number {
  return Math.ceil(limitMs * pace());
}

/** A limit that begins now and follows the pace: ms until it passes, 0 once it has. */
export function limit(limitMs: number): () => number {
  const from = performance.now();
  return () => {
    const passed = performance.now() - from;
    // Most waits end before the limit at pace 1, and then nobody measures.
    return passed < limitMs ? limitMs - passed : Math.max(0, Math.ceil(paced(limitMs) - passed));
  };
}
