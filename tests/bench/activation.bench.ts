import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ActivationResult } from './activation-engine.ts';
import type { Figure } from './figure.ts';

const PURSES = 20_000;
const KIB = 1_024;

/** From a stored row to an answer, for an actor that is not in memory; and what it weighs once it is. */
export async function benchActivation(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-wake-'));
  try {
    const path = fileURLToPath(new URL('./activation-engine.ts', import.meta.url));
    const child = fork(path, [join(folder, 'troupe.sqlite'), String(PURSES)], {
      execArgv: ['--expose-gc', '--import', 'tsx'],
    });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the engine's process ended with code ${code}`);
    });
    const [result] = (await Promise.race([once(child, 'message'), ended])) as [ActivationResult];
    return [
      {
        name: 'cold activation, p50',
        unit: 'ms',
        ours: result.p50Ms,
        baseline: null,
        goal: { atMost: 0.5, of: 'value' },
        note: `p99 ${result.p99Ms.toFixed(2)} ms over ${PURSES} actors`,
      },
      {
        name: 'resident actor',
        unit: 'KiB',
        ours: result.residentBytes / KIB,
        baseline: null,
        goal: { atMost: 8, of: 'value' },
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
