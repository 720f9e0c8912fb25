import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../support/postgres/database.ts';
import type { ActivationResult } from './activation-engine.ts';
import type { Figure } from './figure.ts';

const PURSES = 20_000;
const PURSES_POSTGRES = 5_000;
const KIB = 1_024;

/** From a stored row to an answer, for an actor that is not in memory; and what it weighs once it is. */
export async function benchActivation(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-wake-'));
  try {
    const result = await wake(join(folder, 'troupe.sqlite'), PURSES);
    return [
      activation('cold activation, p50', result, PURSES, 0.5),
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

/** The same from PostgreSQL, on the same machine. */
export async function benchActivationPostgres(): Promise<readonly Figure[]> {
  const database = await openDatabase();
  try {
    const result = await wake(database.url, PURSES_POSTGRES);
    return [activation('cold activation on PostgreSQL, p50', result, PURSES_POSTGRES, 3)];
  } finally {
    await database.drop();
  }
}

async function wake(database: string, purses: number): Promise<ActivationResult> {
  const path = fileURLToPath(new URL('./activation-engine.ts', import.meta.url));
  const child = fork(path, [database, String(purses)], { execArgv: ['--expose-gc', '--import', 'tsx'] });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the engine's process ended with code ${code}`);
  });
  ended.catch(() => {});
  const [result] = (await Promise.race([once(child, 'message'), ended])) as [ActivationResult];
  if (child.exitCode === null) await once(child, 'exit');
  return result;
}

function activation(name: string, { p50Ms, p99Ms }: ActivationResult, purses: number, atMost: number): Figure {
  const note = `p99 ${p99Ms.toFixed(2)} ms over ${purses} actors`;
  return { name, unit: 'ms', ours: p50Ms, baseline: null, goal: { atMost, of: 'value' }, note };
}
