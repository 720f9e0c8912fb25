import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { kill } from 'node:process';
import type { StoreView } from '../support/auditor/store-view.ts';
import { pause } from './call.ts';
import { isAlive } from './nemesis.ts';

/**
 * What happens to the second batch of a run: nodes end, again and again (one killed, one drained, or all killed at
 * once); or once its sealing keys are destroyed, or the key that submitted it is disabled.
 */
export const WAYS = ['kill', 'drain', 'all', 'lost', 'revoke'] as const;
export type Way = (typeof WAYS)[number];

/** Bytes of keys live in a folder in the embedded size only. */
export const SQLITE_WAYS: readonly Way[] = ['lost'];

interface LineFaultParts {
  readonly way: Way;
  readonly everyMs: number;
  readonly view: StoreView;
  /** The data folder of the cluster. */
  readonly data: string;
  /** Disables the key that submitted the batch. */
  readonly disableKey: () => Promise<void>;
  /** Uniform in [0, 1). */
  readonly chance: () => number;
  readonly tell: (line: string) => void;
}

/** The wall times of the faults. */
export async function strikeLines(parts: LineFaultParts, over: AbortSignal): Promise<readonly number[]> {
  const { way, everyMs } = parts;
  const times: number[] = [];
  // The first batch has ended, and the second one is being submitted: it must run when a single fault strikes.
  const isSingle = way === 'lost' || way === 'revoke';
  if (isSingle) await pause(everyMs);
  while (!over.aborted) {
    const at = await STRIKES[way](parts);
    if (at !== null) times.push(at);
    if (isSingle) break;
    await pause(everyMs);
  }
  return times;
}

/** Each returns when it struck; null if it spared the cluster. */
const STRIKES: Readonly<Record<Way, (parts: LineFaultParts) => Promise<number | null>>> = {
  kill: (parts) => endNodes(parts, 'SIGKILL', false),
  drain: (parts) => endNodes(parts, 'SIGTERM', false),
  all: (parts) => endNodes(parts, 'SIGKILL', true),
  lost: async ({ data, tell }) => {
    const folder = join(data, 'keys');
    const keys = readdirSync(folder).filter((name) => name.endsWith('.key'));
    const at = Date.now();
    for (const name of keys) rmSync(join(folder, name));
    tell(`lost ${keys.length} sealing keys`);
    return at;
  },
  revoke: async ({ disableKey, tell }) => {
    await disableKey();
    tell('disabled the key of the batch');
    return Date.now();
  },
};

/** A node is spared while no other one serves. */
async function endNodes({ view, chance, tell, way }: LineFaultParts, signal: NodeJS.Signals, all: boolean) {
  const { nodes } = await view.owners();
  const up = [...nodes.values()].filter(({ state, pid }) => state === 'up' && isAlive(pid));
  if (up.length < 2) return null;
  const victims = all ? up : up.slice(Math.floor(chance() * up.length)).slice(0, 1);
  const at = Date.now();
  for (const { pid } of victims) kill(pid, signal);
  tell(`${way}: ${victims.map(({ name }) => name).join(', ')}`);
  return at;
}
