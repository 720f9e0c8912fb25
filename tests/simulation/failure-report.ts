import { spawnSync } from 'node:child_process';
import type { Outcome } from './run.ts';

const WORDS_PER_VIOLATION_MAX = 4;

/** Formats a failed seed as a bug report: seed, commit, violations, and the history lines that mention them. */
export function failureReport({ seed, verdict, stuck, history }: Outcome): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  const violations = verdict.checks.flatMap(({ id, title, violations: each }) =>
    each.map((violation) => `${id} (${title}): ${violation}`),
  );
  const failures = stuck === null ? violations : [`not recovered in time: ${stuck}`, ...violations];
  const words = violations.flatMap(namesIn).slice(0, WORDS_PER_VIOLATION_MAX);
  return [
    `seed ${seed} at commit ${stdout.trim() || 'unknown'} failed; reproduce: npm run simulate -- --seed ${seed}`,
    ...failures.map((line) => `  ${line}`),
    '  history:',
    ...history.slice(words).map((line) => `    ${line}`),
    '',
  ].join('\n');
}

/** Addresses, generations and nonces in a text: the search terms for its history. */
function namesIn(text: string): readonly string[] {
  return text.match(/[a-z]+:[\w/]+|gen-[\w-]+|alarm-\d+|"v\d+"/g) ?? [];
}
