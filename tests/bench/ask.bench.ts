import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AskResult } from './ask-loop.ts';
import type { FromAskNode, ToAskNode } from './ask-node.ts';
import { listening } from './child.ts';
import { type Figure, median } from './figure.ts';
import type { Settings } from './settings.ts';

const PURSES = 1_000;
const MANY = 512;
const FEW = 64;

/** Asks between two node processes over SQLite and gRPC, beside bare XState and group commit behind a socket. */
export async function benchAsk(settings: Settings): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-ask-'));
  const bare = await listening('./bare-durable.ts', [join(folder, 'bare.sqlite')]);
  const asker = await child('./bare-asker.ts', [String(bare.port)]);
  const nodes = [await child('./ask-node.ts', ['n1', join(folder, 'troupe.sqlite')])];
  nodes.push(await child('./ask-node.ts', ['n2', join(folder, 'troupe.sqlite')]));
  const ours = nodes[1] as ChildProcess;
  try {
    await said(ours, { type: 'open', purses: PURSES });
    for (const side of [asker, ours]) await run(side, 'debit', FEW, 1);
    const results = {
      bareMany: [] as AskResult[],
      many: [] as AskResult[],
      few: [] as AskResult[],
      show: [] as AskResult[],
    };
    for (let round = 0; round < settings.rounds; round++) {
      results.bareMany.push(await run(asker, 'debit', MANY, settings.seconds));
      results.many.push(await run(ours, 'debit', MANY, settings.seconds));
      results.few.push(await run(ours, 'debit', FEW, settings.seconds));
      results.show.push(await run(ours, 'show', MANY, settings.seconds));
    }
    return figures(results);
  } finally {
    for (const each of [asker, ...nodes]) await gone(each);
    await bare.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function figures(
  results: Readonly<Record<'bareMany' | 'many' | 'few' | 'show', readonly AskResult[]>>,
): readonly Figure[] {
  const perSecond = (each: readonly AskResult[]): number => median(each.map((result) => result.perSecond));
  return [
    {
      name: `durable ask between two processes, ${MANY} in flight`,
      unit: 'asks/s',
      ours: perSecond(results.many),
      baseline: perSecond(results.bareMany),
      goal: { atLeast: 40_000, of: 'value' },
      ...failed(results.many),
    },
    {
      name: `durable ask, ${FEW} in flight, p50`,
      unit: 'ms',
      ours: median(results.few.map((result) => result.p50Ms)),
      baseline: null,
      goal: { atMost: 2, of: 'value' },
      ...failed(results.few),
    },
    {
      name: `remote ask without state change, ${MANY} in flight`,
      unit: 'asks/s',
      ours: perSecond(results.show),
      baseline: null,
      goal: { atLeast: 100_000, of: 'value' },
      ...failed(results.show),
    },
  ];
}

function failed(results: readonly AskResult[]): { readonly note?: string } {
  const failures = results.reduce((sum, result) => sum + result.failures, 0);
  return failures === 0 ? {} : { note: `${failures} asks failed` };
}

async function run(side: ChildProcess, event: 'debit' | 'show', inFlight: number, seconds: number): Promise<AskResult> {
  const answer = await said(side, { type: 'run', event, inFlight, seconds });
  if (answer.type !== 'ran') throw new Error(`answered ${answer.type}`);
  return answer.result;
}

async function said(process: ChildProcess, command: ToAskNode): Promise<FromAskNode> {
  const answer = answered(process);
  process.send(command);
  return answer;
}

async function child(file: string, args: readonly string[]): Promise<ChildProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const started = fork(path, [...args], { execArgv: ['--import', 'tsx'] });
  await answered(started);
  return started;
}

/** The next message; rejects when the process ends first. */
async function answered(process: ChildProcess): Promise<FromAskNode> {
  const ended = once(process, 'exit').then(([code]) => {
    throw new Error(`a process of the benchmark ended with code ${code}`);
  });
  const [message] = (await Promise.race([once(process, 'message'), ended])) as [FromAskNode];
  return message;
}

async function gone(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exit = once(process, 'exit');
  process.disconnect();
  await exit;
}
