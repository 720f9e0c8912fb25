import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../gateway/operator/launcher/node-process.ts';
import { openDatabase } from '../support/postgres/database.ts';
import { answered } from './answered.ts';
import type { AskResult } from './ask-loop.ts';
import type { FromAskNode, ToAskNode } from './ask-node.ts';
import { listening } from './child.ts';
import { type Figure, median } from './figure.ts';
import type { Settings } from './settings.ts';

const PURSES = 1_000;
const MANY = 512;
const FEW = 64;

/**
 * Asks between two node processes over SQLite and gRPC, beside bare XState and group commit behind a socket, and beside
 * a bare gRPC stream that echoes its input.
 */
export async function benchAsk(settings: Settings): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-ask-'));
  try {
    const sides = { bare: './bare-durable.ts', bareDatabase: join(folder, 'bare.sqlite') };
    return figures(await measure({ ...sides, database: join(folder, 'troupe.sqlite') }, settings));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same over PostgreSQL on this machine, beside bare XState and group commit on the same server. */
export async function benchAskPostgres(settings: Settings): Promise<readonly Figure[]> {
  const [ours, bare] = [await openDatabase(), await openDatabase()];
  try {
    const sides = { bare: './bare-postgres.ts', bareDatabase: bare.url };
    const results = await measure({ ...sides, database: ours.url }, settings);
    const [many, few] = figures(results);
    return [
      { ...(many as Figure), name: `${many?.name}, PostgreSQL`, goal: { atLeast: 12_000, of: 'value' } },
      { ...(few as Figure), name: `${few?.name}, PostgreSQL`, goal: { atMost: 10, of: 'value' } },
    ];
  } finally {
    await ours.drop();
    await bare.drop();
  }
}

interface Sides {
  /** The baseline's file, and its database. */
  readonly bare: string;
  readonly bareDatabase: string;
  /** The database of our two nodes. */
  readonly database: string;
}

type Results = Readonly<Record<'bareMany' | 'many' | 'bareFew' | 'few' | 'bareShow' | 'show', readonly AskResult[]>>;

async function measure({ bare: file, bareDatabase, database }: Sides, settings: Settings): Promise<Results> {
  const bare = await listening(file, [bareDatabase]);
  const echo = await listening('./bare-echo.ts', []);
  const asker = await child('./bare-asker.ts', [String(bare.port)]);
  const caller = await child('./bare-asker.ts', [String(echo.port), 'grpc']);
  // Nodes run with the flags of the launcher, as in production.
  const nodes = [await child('./ask-node.ts', ['n1', database], NODE_FLAGS)];
  nodes.push(await child('./ask-node.ts', ['n2', database], NODE_FLAGS));
  const ours = nodes[1] as ChildProcess;
  try {
    await said(ours, { type: 'open', purses: PURSES });
    for (const side of [asker, caller, ours]) await run(side, 'debit', FEW, 1);
    const results: Record<keyof Results, AskResult[]> = {
      bareMany: [],
      many: [],
      bareFew: [],
      few: [],
      bareShow: [],
      show: [],
    };
    for (let round = 0; round < settings.rounds; round++) {
      results.bareMany.push(await run(asker, 'debit', MANY, settings.seconds));
      results.many.push(await run(ours, 'debit', MANY, settings.seconds));
      results.bareFew.push(await run(asker, 'debit', FEW, settings.seconds));
      results.few.push(await run(ours, 'debit', FEW, settings.seconds));
      results.bareShow.push(await run(caller, 'show', MANY, settings.seconds));
      results.show.push(await run(ours, 'show', MANY, settings.seconds));
    }
    return results;
  } finally {
    for (const each of [asker, caller, ...nodes]) await gone(each);
    await bare.stop();
    await echo.stop();
  }
}

function figures(results: Results): readonly Figure[] {
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
      baseline: median(results.bareFew.map((result) => result.p50Ms)),
      goal: { atMost: 2, of: 'value' },
      ...failed(results.few),
    },
    {
      name: `remote ask without state change, ${MANY} in flight`,
      unit: 'asks/s',
      ours: perSecond(results.show),
      baseline: perSecond(results.bareShow),
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
  const answer = answered<FromAskNode>(process);
  process.send(command);
  return answer;
}

async function child(file: string, args: readonly string[], flags: readonly string[] = []): Promise<ChildProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const started = fork(path, [...args], { execArgv: [...flags] });
  await answered(started);
  return started;
}

async function gone(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exit = once(process, 'exit');
  process.disconnect();
  await exit;
}
