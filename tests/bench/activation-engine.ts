import config from '../../cluster.config.ts';
import { purseKind } from '../actors/example-kinds/purse.ts';
import { openBenchStore } from './bench-store.ts';
import { askOf, owningEngines } from './owning-engines.ts';
import { OPEN, SHOW } from './purse-events.ts';

/** The result of one process that activates actors. */
export interface ActivationResult {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Activates actors in sequence from a store, in an engine without peers: `activation-engine DATABASE PURSES`;
 * answers over IPC.
 */
const [path = '', count = '0'] = process.argv.slice(2);
const addresses = Array.from({ length: Number(count) }, (_, at) => `purse:p${at}`);
const AT_ONCE = 1_000;
const open = await owningEngines(await openBenchStore(path), 'activation');
const limits = { residentsMax: Math.max(config.runtime.residentsMax, 2 * addresses.length) };

const writing = open({ kinds: [purseKind], limits });
for (let at = 0; at < addresses.length; at += AT_ONCE) {
  await Promise.all(addresses.slice(at, at + AT_ONCE).map((address) => askOf(writing)(address, OPEN)));
}
await writing.close();

const ask = askOf(open({ kinds: [purseKind], limits }));
await ask('purse:nobody', SHOW);
const times: number[] = [];
for (const address of addresses) {
  const beganAt = performance.now();
  const answer = await ask(address, SHOW);
  times.push(performance.now() - beganAt);
  if (!answer.ok) throw new Error(`${address}: ${answer.failure.code}`);
}
times.sort((a, b) => a - b);
const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
const result: ActivationResult = { p50Ms: at(0.5), p99Ms: at(0.99) };
process.send?.(result, () => process.exit(0));
