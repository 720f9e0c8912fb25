import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerOf } from './answer-of.ts';
import type { Figure } from './figure.ts';
import type { ResidentsResult } from './residents-engine.ts';

const RESIDENTS = 100_000;
const KIB = 1_024;
const KIB_MAX = 8;

/** Memory of a resident actor, with a hundred thousand of them: the smallest kind, and an account. */
export async function benchResidents(): Promise<readonly Figure[]> {
  return [await weigh('purse'), await weigh('account')];
}

async function weigh(kind: string): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-residents-'));
  try {
    const args = [join(folder, 'troupe.sqlite'), kind, RESIDENTS];
    const { residents, bytesEach, processBytesEach } = await answerOf<ResidentsResult>('./residents-engine.ts', args);
    if (residents < RESIDENTS) throw new Error(`only ${residents} of ${RESIDENTS} actors stayed in memory`);
    return {
      name: `resident ${kind}, each of ${RESIDENTS.toLocaleString('en-US')}`,
      unit: 'KiB',
      ours: bytesEach / KIB,
      baseline: null,
      goal: { atMost: KIB_MAX, of: 'value' },
      note: `the process grew by ${(processBytesEach / KIB).toFixed(1)} KiB each`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
