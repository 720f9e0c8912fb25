import { readFileSync } from 'node:fs';

/** Seeds that the suite runs, from 1: all of them are green. */
export const SUITE_SEEDS = 25;

/** Seeds that failed once, from `seeds.txt`: `SEED DEFECT` per line; `#` starts a comment. */
export function readSeeds(): readonly { readonly seed: number; readonly found: string }[] {
  const lines = readFileSync(new URL('seeds.txt', import.meta.url), 'utf8').split('\n');
  return lines.flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const parsed = /^(\d+) (.+)$/.exec(line);
    if (parsed === null) throw new Error(`seeds.txt: "${line}" is not a seed followed by its defect`);
    return [{ seed: Number(parsed[1]), found: parsed[2] as string }];
  });
}
