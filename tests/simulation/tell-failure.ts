import { spawnSync } from 'node:child_process';
import type { Outcome } from './run.ts';

const WORDS_PER_VIOLATION_MAX = 4;

/** A failed seed as a bug report: seed, commit, what was violated, and the part of the history that names it. */
export function tellFailure({ seed, verdict, stuck, history }: Outcome): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  const violations = verdict.checks.flatMap(({ id, title, violations: each }) =>
    each.map((violation) => `${id} (${title}): ${violation}`),
  );
  const told = stuck === null ? violations : [`not alive again within its time: ${stuck}`, ...violations];
  const words = violations.flatMap(namesIn).slice(0, WORDS_PER_VIOLATION_MAX);
  return [
    `seed ${seed} at commit ${stdout.trim() || 'unknown'} failed; again: npm run simulate -- --seed ${seed}`,
    ...told.map((line) => `  ${line}`),
    '  history:',
    ...history.slice(words).map((line) => `    ${line}`),
    '',
  ].join('\n');
}

/** Addresses, generations and nonces in a text: what its history is searched for. */
function namesIn(text: string): readonly string[] {
  return text.match(/[a-z]+:[\w/]+|gen-[\w-]+|alarm-\d+|"v\d+"/g) ?? [];
}
