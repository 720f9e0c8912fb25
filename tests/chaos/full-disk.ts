import { existsSync, statSync } from 'node:fs';
import type { ConnectionNode } from '../../gateway/operator/launcher/connection.ts';
import type { CallSeen } from '../support/auditor/evidence.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { ask } from './ask.ts';
import type { Finding } from './exchange.ts';
import { type Strike, until } from './nemesis.ts';
import { type OutageParts, recovered } from './outages.ts';
import { long } from './scenario.ts';
import type { Payer } from './workload.ts';

interface FullDiskParts extends OutageParts {
  readonly database: string;
  readonly store: Pick<StoreView, 'openHolds' | 'held'>;
  /** The nodes that serve. */
  readonly nodes: () => readonly ConnectionNode[];
  readonly operatorToken: string;
}

/**
 * Within this interval (wall ms) a provider is called for no request but those that held money at its beginning; the
 * run checks it.
 */
export interface FullDisk {
  readonly strike: Strike;
  readonly silent: { readonly from: number; readonly to: number; readonly held: ReadonlySet<string> };
  readonly problems: readonly string[];
}

const ROOM_BYTES = 60_000;
const STREAMS = 6;
const STREAM_SECONDS = 6;
const FULL_MS = 3_000;
const WAIT_MS = 30_000;
const LOOK_MS = 400;
const SETTLED_MS = 800;

/** Fills the disk of all nodes while streams are open, checks what still works, and frees the space. */
export async function fillDisk(parts: FullDiskParts): Promise<FullDisk> {
  const { injector, names, database, baseUrl, payers, store } = parts;
  const [payer] = payers as [Payer];
  const problems: string[] = [];
  const addProblem = (line: string): unknown => problems.push(`disk full: ${line}`);
  const pids = parts.pids().join();
  const streams = await openStreams(parts);
  const from = performance.now();
  const quotaBytes = sizeOf(database) + ROOM_BYTES;
  for (const name of names) injector.set(name, { quotaBytes });
  const tookEffect = await until(() => everyNodeKnows(parts), WAIT_MS, LOOK_MS);
  const silent = { ...(await lastHolds(store, addProblem)), to: 0 };
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
  if (!(await until(async () => (await store.openHolds()) === 0, WAIT_MS))) addProblem('holds stay open');
  await pause(FULL_MS);
  silent.to = Date.now();
  const roomAt = performance.now();
  for (const name of names) injector.clear(name);
  const healedMs = await recovered(parts, roomAt);
  if (parts.pids().join() !== pids) addProblem('nodes were restarted');
  const window = { from, to: performance.now() + SETTLED_MS };
  const strike = { fault: 'disk full', node: 'all', tookEffect, takeoverMs: null, healedMs, successor: null, window };
  return { strike, silent, problems };
}

/** Streams that hold money: what is open before the disk is full must end well. */
async function openStreams({ workload, payers, store }: FullDiskParts): Promise<readonly Promise<Finding>[]> {
  const sent = payers.slice(0, STREAMS).map((payer) => {
    const nonce = workload.nonce();
    return { nonce, finding: workload.send(long(nonce, STREAM_SECONDS), payer) };
  });
  const seen = new Set<string>();
  await until(
    async () => {
      for (const name of await store.held()) seen.add(name);
      return sent.every(({ nonce }) => seen.has(nonce));
    },
    WAIT_MS,
    LOOK_MS / 8,
  );
  return sent.map(({ finding }) => finding);
}

/** Each node polls for the ballast: until it misses it, it admits new work. */
async function everyNodeKnows({ nodes, operatorToken }: FullDiskParts): Promise<boolean> {
  const headers = { authorization: `Bearer ${operatorToken}` };
  const texts = await Promise.all(
    nodes().map(async ({ operator_url }) => {
      const response = await fetch(`${operator_url}/metrics`, { headers }).catch(() => null);
      return response === null ? '' : response.text();
    }),
  );
  return texts.length > 0 && texts.every((text) => text.includes('\ntroupe_store_full 1\n'));
}

/** Waits until no hold is added any more: one that was asked for before may still be committed. */
async function lastHolds(
  store: FullDiskParts['store'],
  addProblem: (line: string) => unknown,
): Promise<{ readonly from: number; readonly held: ReadonlySet<string> }> {
  let held = await store.held();
  const settled = await until(
    async () => {
      const before = held;
      held = await store.held();
      return [...held].every((name) => before.has(name));
    },
    WAIT_MS,
    LOOK_MS,
  );
  if (!settled) addProblem(`money is still held for new requests ${WAIT_MS} ms after every node noticed it`);
  return { from: Date.now(), held };
}

/** Calls of requests that held no money when the disk was full. */
export function problemsOfFullDisk({ problems, silent }: FullDisk, calls: readonly CallSeen[]): readonly string[] {
  const { from, to, held } = silent;
  const called = calls.filter(({ id, startAt }) => startAt >= from && startAt <= to && !held.has(id ?? ''));
  const shown = called.map(({ id, startAt }) => `${id} after ${startAt - from} ms`).join(', ');
  return called.length === 0 ? problems : [...problems, `disk full: providers were called: ${shown}`];
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
