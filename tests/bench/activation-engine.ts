import { hostname } from 'node:os';
import type { Answer } from '../../actors/runtime/actor/answer.ts';
import type { ActorEvent } from '../../actors/runtime/actor/event.ts';
import { register } from '../../actors/runtime/actor/register.ts';
import { createEngine } from '../../actors/runtime/durable/create-engine.ts';
import { systemClock } from '../../actors/runtime/index.ts';
import config from '../../cluster.config.ts';
import { openBenchStore } from './bench-store.ts';
import { OPEN, purseKind, SHOW } from './purse-kind.ts';

/** What one process found out about waking actors. */
export interface ActivationResult {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentBytes: number;
}

/**
 * Wakes actors one after the other from a store, in an engine without peers, and weighs the resident ones.
 * `node --expose-gc activation-engine DATABASE PURSES`; answers over IPC.
 */
const [path = '', count = '0'] = process.argv.slice(2);
const addresses = Array.from({ length: Number(count) }, (_, at) => `purse:p${at}`);
const AT_ONCE = 1_000;
const { runtime } = config;
const incarnation = 'activation';
const store = await openBenchStore(path);
await store.register({
  name: 'a',
  incarnation,
  address: '127.0.0.1:1',
  operatorUrl: '',
  pid: process.pid,
  host: hostname(),
});
await store.heartbeat({ incarnation, hears: [], state: 'up' });
const taken = await store.claim(incarnation, await store.shards());

function freshEngine() {
  const engine = createEngine({
    kinds: [register(purseKind)],
    store,
    clock: systemClock,
    self: { incarnation },
    shards: runtime.shards,
    now: () => Date.now(),
    limits: runtime,
    host: { lost: () => {}, published: () => {}, isGone: () => false, log: () => {} },
  });
  for (const { shard, epoch } of taken) engine.adopt(shard, epoch);
  return engine;
}

function ask(engine: ReturnType<typeof freshEngine>, to: string, event: ActorEvent): Promise<Answer> {
  return new Promise((resolve) => engine.deliver({ to, event, deadline: Number.POSITIVE_INFINITY }, resolve));
}

const writing = freshEngine();
for (let at = 0; at < addresses.length; at += AT_ONCE) {
  await Promise.all(addresses.slice(at, at + AT_ONCE).map((address) => ask(writing, address, OPEN)));
}
await writing.close();

const waking = freshEngine();
await ask(waking, 'purse:nobody', SHOW);
globalThis.gc?.();
const before = process.memoryUsage().heapUsed;
const times: number[] = [];
for (const address of addresses) {
  const beganAt = performance.now();
  const answer = await ask(waking, address, SHOW);
  times.push(performance.now() - beganAt);
  if (!answer.ok) throw new Error(`${address}: ${answer.failure.code}`);
}
globalThis.gc?.();
const residentBytes = (process.memoryUsage().heapUsed - before) / addresses.length;
times.sort((a, b) => a - b);
const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
const result: ActivationResult = { p50Ms: at(0.5), p99Ms: at(0.99), residentBytes };
process.send?.(result, () => process.exit(0));
