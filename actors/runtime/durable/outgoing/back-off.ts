import type { Random } from '../../ports/random.ts';

const MS_MIN = 100;
const MS_MAX = 15_000;

/** Delay before the next try: exponential, bounded, with half of it as random jitter. */
export function backOffMs(failures: number, random: Random): number {
  const ms = Math.min(MS_MAX, MS_MIN * 2 ** Math.min(failures, 10));
  return Math.ceil(ms / 2 + (ms / 2) * random.fraction());
}
