import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answered } from './answered.ts';
import type { CommitTimes } from './commit-loop.ts';
import { ACTORS_PER_COMMIT } from './commit-work.ts';
import type { Figure } from './figure.ts';
import type { Settings } from './settings.ts';

const WRITERS = 3;
const STALL_MS_MAX = 25;
/** The minimum share of the slowest of three saturated writers, relative to an equal share. */
const SHARE_MIN = 0.5;
const WARM_UP_SECONDS = 0.5;

/**
 * Three processes write to one SQLite file at once, each as fast as possible: the worst commit duration, and
 * whether each writer gets its share. Beside it the same with bare SQLite; rounds alternate, times are over all rounds.
 */
export async function benchWriters({ seconds, rounds }: Settings): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-writers-'));
  const ours = await crew('./writing-node.ts', join(folder, 'ours.sqlite'));
  const bare = await crew('./bare-writer.ts', join(folder, 'bare.sqlite'));
  try {
    for (const side of [bare, ours]) await run(side, WARM_UP_SECONDS);
    const times = { ours: empty(), bare: empty() };
    for (let round = 0; round < rounds; round++) {
      add(times.bare, await run(bare, seconds));
      add(times.ours, await run(ours, seconds));
    }
    return figures(times, seconds * rounds);
  } finally {
    for (const each of [...ours, ...bare]) await gone(each);
    rmSync(folder, { recursive: true, force: true });
  }
}

type Times = readonly number[][];

function figures({ ours, bare }: { readonly ours: Times; readonly bare: Times }, seconds: number): readonly Figure[] {
  const counts = ours.map((took) => took.length);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const baseline = bare.reduce((sum, took) => sum + took.length, 0);
  return [
    ...ours.map(
      (took, writer): Figure => ({
        name: `a commit of writer ${writer + 1}, p99.9`,
        unit: 'ms',
        ours: at(took, 0.999),
        baseline: at(bare[writer] as number[], 0.999),
        goal: { atMost: STALL_MS_MAX, of: 'value' },
        note: `${summary(took, seconds)}; bare ${summary(bare[writer] as number[], seconds)}`,
      }),
    ),
    {
      name: 'the slowest writer, of an equal share',
      unit: 'shares',
      ours: Math.min(...counts) / (all / WRITERS),
      baseline: Math.min(...bare.map((took) => took.length)) / (baseline / WRITERS),
      goal: { atLeast: SHARE_MIN, of: 'value' },
      note: `together ${Math.round(all / seconds)} commits/s of ${ACTORS_PER_COMMIT} actors; bare ${Math.round(baseline / seconds)}`,
    },
  ];
}

function summary(took: readonly number[], seconds: number): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => at(took, share).toFixed(1));
  return `${Math.round(took.length / seconds)}/s, p50 ${p50}, p99 ${p99}, max ${max} ms`;
}

function at(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const empty = (): number[][] => Array.from({ length: WRITERS }, () => []);

function add(to: number[][], took: readonly CommitTimes[]): void {
  for (const [writer, times] of took.entries()) for (const each of times) to[writer]?.push(each);
}

async function crew(file: string, database: string): Promise<readonly ChildProcess[]> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const started: ChildProcess[] = [];
  for (let writer = 1; writer <= WRITERS; writer++) {
    const child = fork(path, [database, `w${writer}`, String(writer)]);
    await answered(child);
    started.push(child);
  }
  return started;
}

function run(side: readonly ChildProcess[], seconds: number): Promise<readonly CommitTimes[]> {
  const answers = side.map((each) => answered<CommitTimes>(each));
  for (const each of side) each.send(seconds);
  return Promise.all(answers);
}

async function gone(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exit = once(process, 'exit');
  process.disconnect();
  await exit;
}
