import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../support/postgres/database.ts';
import type { ActivationResult } from './activation-engine.ts';
import { answerOf } from './answer-of.ts';
import type { Figure } from './figure.ts';

const PURSES = 20_000;
const PURSES_POSTGRES = 5_000;

/** Time from a stored row to an answer, for an actor that is not in memory. */
export async function benchActivation(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-wake-'));
  try {
    const result = await wake(join(folder, 'troupe.sqlite'), PURSES);
    return [activation('cold activation, p50', result, PURSES, 0.5)];
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

function wake(database: string, purses: number): Promise<ActivationResult> {
  return answerOf('./activation-engine.ts', [database, purses]);
}

function activation(name: string, { p50Ms, p99Ms }: ActivationResult, purses: number, atMost: number): Figure {
  const note = `p99 ${p99Ms.toFixed(2)} ms over ${purses} actors`;
  return { name, unit: 'ms', ours: p50Ms, baseline: null, goal: { atMost, of: 'value' }, note };
}
