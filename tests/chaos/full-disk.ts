import { existsSync, statSync } from 'node:fs';
import { ask } from './ask.ts';
import { type Strike, until } from './nemesis.ts';
import { type OutageParts, recovered } from './outages.ts';
import { long } from './scenario.ts';
import type { Payer } from './workload.ts';

export interface FullDiskParts extends OutageParts {
  readonly database: string;
  readonly openHolds: () => Promise<number>;
}

/** No provider may be called within this interval (wall ms); the run checks it. */
export interface FullDisk {
  readonly strike: Strike;
  readonly silent: { readonly from: number; readonly to: number };
  readonly problems: readonly string[];
}

const ROOM_BYTES = 60_000;
const STREAMS = 6;
const STREAM_SECONDS = 3;
const FULL_MS = 3_000;
/** Interval at which a node checks the ballast; a request admitted before may still call its provider. */
const KNOWN_MS = 800;
const REFUSED_MS = 15_000;

/** Fills the disk of all nodes while streams are open, checks what still works, and frees the space. */
export async function fillDisk(parts: FullDiskParts): Promise<FullDisk> {
  const { injector, names, database, baseUrl, workload, payers } = parts;
  const [payer] = payers as [Payer];
  const problems: string[] = [];
  const addProblem = (line: string): unknown => problems.push(`disk full: ${line}`);
  const pids = parts.pids().join();
  const streams = payers.slice(0, STREAMS).map((payer) => workload.send(long(workload.nonce(), STREAM_SECONDS), payer));
  await pause(300);
  const from = performance.now();
  const quotaBytes = sizeOf(database) + ROOM_BYTES;
  for (const name of names) injector.set(name, { quotaBytes });
  const tookEffect = await until(() => !existsSync(`${database}.ballast`), REFUSED_MS);
  await pause(KNOWN_MS);
  const silentFrom = Date.now();
  const refusal = await ask(baseUrl, payer, 'POST', '/chat/completions');
  if (refusal.status !== 503 || refusal.retryAfter === null) {
    addProblem(`new work was answered ${refusal.status}, Retry-After ${refusal.retryAfter}`);
  }
  for (const path of ['/models', '/credits', '/key']) {
    const { status } = await ask(baseUrl, payer, 'GET', path);
    if (status !== 200) addProblem(`GET ${path} was answered ${status}`);
  }
  const ended = await Promise.all(streams);
  const broken = ended.filter(({ type }) => type !== 'ok');
  if (broken.length > 0)
    addProblem(`${broken.length} of ${STREAMS} open streams did not end well: ${JSON.stringify(broken[0])}`);
  if (!(await until(async () => (await parts.openHolds()) === 0, FULL_MS))) addProblem('holds stay open');
  await pause(FULL_MS);
  const silentTo = Date.now();
  const roomAt = performance.now();
  for (const name of names) injector.clear(name);
  const healedMs = await recovered(parts, roomAt);
  if (parts.pids().join() !== pids) addProblem('nodes were restarted');
  const window = { from, to: performance.now() + KNOWN_MS };
  const strike = { fault: 'disk full', node: 'all', tookEffect, takeoverMs: null, healedMs, successor: null, window };
  return { strike, silent: { from: silentFrom, to: silentTo }, problems };
}

function sizeOf(database: string): number {
  return ['', '-wal', '.ballast'].reduce(
    (sum, end) => sum + (existsSync(database + end) ? statSync(database + end).size : 0),
    0,
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
