import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../gateway/operator/launcher/node-process.ts';
import { answerOf } from './answer-of.ts';
import type { Figure } from './figure.ts';
import type { Settings } from './settings.ts';
import type { Lateness, TimersResult } from './timers-engine.ts';

const PER_SECOND = 10_000;
const LATE_MS_MAX = 50;

/** Durable timers of ten thousand actors on SQLite: time from due to its step on the disk, beside bare `setTimeout`. */
export async function benchTimers({ seconds }: Settings): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-timers-'));
  try {
    const args = [join(folder, 'troupe.sqlite'), PER_SECOND, seconds];
    const { ours, bare } = await answerOf<TimersResult>('./timers-engine.ts', args, NODE_FLAGS);
    const summary = ({ p50Ms, maxMs }: Lateness): string => `p50 ${p50Ms.toFixed(1)}, max ${maxMs.toFixed(1)} ms`;
    return [
      {
        name: `timers at ${PER_SECOND.toLocaleString('en-US')}/s, lateness p99`,
        unit: 'ms',
        ours: ours.p99Ms,
        baseline: bare.p99Ms,
        goal: { atMost: LATE_MS_MAX, of: 'value' },
        note: `${summary(ours)}; bare ${summary(bare)}`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
