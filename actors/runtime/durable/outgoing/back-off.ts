import type { Random } from '../../ports/random.ts';

const MS_MIN = 100;
const MS_MAX = 15_000;

/** How long to wait before the next try: doubles with each failure, up to a bound, each time half of it by chance. */
export function backOffMs(failures: number, random: Random): number {
  const ms = Math.min(MS_MAX, MS_MIN * 2 ** Math.min(failures, 10));
  return Math.ceil(ms / 2 + (ms / 2) * random.fraction());
}
