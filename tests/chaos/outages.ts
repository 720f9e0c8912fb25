import { renameSync } from 'node:fs';
import type { FaultInjector } from '../support/faults/fault-injector.ts';
import { limit } from '../support/pace.ts';
import { ask } from './ask.ts';
import type { Strike } from './nemesis.ts';
import { long } from './scenario.ts';
import type { Payer, Workload } from './workload.ts';

export interface OutageParts {
  readonly injector: FaultInjector;
  readonly names: readonly string[];
  readonly baseUrl: string;
  readonly workload: Workload;
  readonly payers: readonly Payer[];
  /** Process ids of the nodes that serve. */
  readonly pids: () => readonly number[];
}

export interface Outage {
  readonly strike: Strike;
  readonly problems: readonly string[];
}

/** Slightly longer than the read lease: after it no node may answer from memory. */
const FENCED_MS = 3_500;
const OUT_MS = 5_000;
const RECOVER_MS = 10_000;
const SKEW_MS = 30_000;
const STEP_EVERY_MS = 900;
const STREAMS = 6;
const STREAM_SECONDS = 5;

/** No node can reach the store: new requests are refused with Retry-After, no node is voted out, and service resumes afterwards. */
export async function loseStore(parts: OutageParts): Promise<Outage> {
  const { injector, names, baseUrl, payers, pids } = parts;
  const problems: string[] = [];
  const before = pids().join();
  const from = performance.now();
  for (const name of names) injector.set(name, { cut: true });
  await pause(FENCED_MS);
  const { status, retryAfter } = await ask(baseUrl, payers[0] as Payer, 'POST', '/chat/completions');
  if (status !== 503 || retryAfter === null) problems.push(`store unreachable: ${status}, Retry-After ${retryAfter}`);
  await pause(OUT_MS - FENCED_MS);
  const backAt = performance.now();
  for (const name of names) injector.clear(name);
  const healedMs = await recovered(parts, backAt);
  if (pids().join() !== before) problems.push('store unreachable: nodes were restarted');
  const window = { from, to: performance.now() };
  const strike = {
    fault: 'store lost',
    node: 'all',
    tookEffect: true,
    takeoverMs: null,
    healedMs,
    successor: null,
    window,
  };
  return { strike, problems };
}

export interface KeyOutage extends Outage {
  /** Monotonic time of the workload's process in which no node could reach the keys. */
  readonly keyless: { readonly from: number; readonly to: number };
}

/**
 * The folder of the sealing keys disappears: uploads and submissions are refused with Retry-After and store nothing,
 * chats are served, and all goes on where the keys are back.
 */
export async function loseKeyFolder(parts: OutageParts & { readonly folder: string }): Promise<KeyOutage> {
  const { folder, baseUrl, payers, pids } = parts;
  const [payer] = payers as [Payer];
  const problems: string[] = [];
  const before = pids().join();
  const start = performance.now();
  renameSync(folder, `${folder}.away`);
  const from = performance.now();
  const chat = await ask(baseUrl, payer, 'POST', '/chat/completions');
  if (chat.status !== 200) problems.push(`keys unreachable: a chat was answered ${chat.status}`);
  const form = new FormData();
  form.set('file', new File(['text'], 'refused.txt'));
  const requests = [{ custom_id: 'refused', body: { model: 'sim/fast', messages: [{ role: 'user', content: 'hi' }] } }];
  const batch = JSON.stringify({ endpoint: '/v1/chat/completions', requests });
  const json = { 'content-type': 'application/json' };
  for (const [path, body, headers] of [
    ['/files', form, {}],
    ['/batches', batch, json],
  ] as const) {
    const { status, retryAfter } = await send(`${baseUrl}${path}`, payer, body, headers);
    if (status !== 503 || retryAfter === null)
      problems.push(`keys unreachable: POST ${path} ${status}, Retry-After ${retryAfter}`);
  }
  await pause(OUT_MS);
  const to = performance.now();
  renameSync(`${folder}.away`, folder);
  const healedMs = await recovered(parts, to);
  if (pids().join() !== before) problems.push('keys unreachable: nodes were restarted');
  const window = { from: start, to: performance.now() };
  const strike = {
    ...{ fault: 'keys lost', node: 'all', tookEffect: true, takeoverMs: null, healedMs, successor: null, window },
  };
  return { strike, problems, keyless: { from, to } };
}

async function send(
  url: string,
  { key }: Payer,
  body: string | FormData,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly retryAfter: string | null }> {
  const authorization = `Bearer ${key}`;
  const response = await fetch(url, { method: 'POST', headers: { ...headers, authorization }, body });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

/** The wall clocks of two nodes step by 30 s, forward, back and apart: no node dies and no call fails. */
export async function stepClocks({ injector, names, workload, payers, pids }: OutageParts): Promise<Outage> {
  const problems: string[] = [];
  const before = pids().join();
  const at = performance.now();
  const streams = payers.slice(0, STREAMS).map((payer) => workload.send(long(workload.nonce(), STREAM_SECONDS), payer));
  const [one = '', other = ''] = names;
  for (const [mine, yours] of [
    [SKEW_MS, 0],
    [SKEW_MS, -SKEW_MS],
    [-SKEW_MS, SKEW_MS],
    [0, 0],
  ] as const) {
    injector.set(one, { clockMs: mine });
    injector.set(other, { clockMs: yours });
    await pause(STEP_EVERY_MS);
  }
  const ended = await Promise.all(streams);
  const broken = ended.filter(({ type }) => type !== 'ok').length;
  if (broken > 0) problems.push(`clocks stepped: ${broken} of ${STREAMS} streams failed`);
  if (pids().join() !== before) problems.push('clocks stepped: nodes were restarted');
  // No fault window: every request must succeed throughout.
  const window = { from: at, to: at };
  const strike = {
    fault: 'clocks',
    node: 'all',
    tookEffect: true,
    takeoverMs: null,
    healedMs: 0,
    successor: null,
    window,
  };
  return { strike, problems };
}

/** Time in ms until several accounts are served again; null on timeout. */
export async function recovered(
  { workload, payers }: Pick<OutageParts, 'workload' | 'payers'>,
  since: number,
): Promise<number | null> {
  for (const leftMs = limit(RECOVER_MS); leftMs() > 0; ) {
    const findings = await Promise.all(payers.slice(0, STREAMS).map((payer) => workload.probe(payer)));
    if (findings.every(({ type }) => type === 'ok')) return performance.now() - since;
    await pause(50);
  }
  return null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
