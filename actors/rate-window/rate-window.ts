/**
 * The rate-window kind and its client functions. Anybody can create names (digests of unknown keys, hashed client
 * addresses), so they are spread over a fixed number of actors with bounded tables. This bounds both memory and stored
 * rows.
 */
import { type Cluster, type Json, type Kind, ownerHash, type View } from '../runtime/index.ts';
import { ask } from '../terms/chart-tools.ts';
import { rateWindowMachine } from './rate-window.machine.ts';
import type { SliceGrant, Taken } from './share.ts';
import { isContended, NAMES_MAX, remainingMs, type WindowTable } from './table.ts';

/** Actors that share all names. With 64 names each, the cluster uses at most 10 MB. */
const BUCKETS = 1_024;
/** Actors that share the parts of accounts: apart from the names, which anybody can create. */
const PART_BUCKETS = 64;
const PART = 'part-';

/** The shared backstop of the whole endpoint has its own actor. */
export const ENDPOINT_WINDOW = 'endpoint';

export const rateWindowKind: Kind = {
  name: 'rate-window',
  machine: rateWindowMachine,
  version: 1,
  creates: ['window.take', 'window.slice'],
  finishes: ['window.return'],
  volatile: ['window.take', 'window.slice', 'window.return'],
  collections: {},
  explain: explainWindow,
  redact: (context: Json) => context,
};

/** The name under which the part of one holder of the endpoint's window is counted. */
export function partName(holder: string): string {
  return `${PART}${holder}`;
}

/** The actor that counts requests of this name. */
export function windowAddress(name: string): string {
  if (name === ENDPOINT_WINDOW) return 'rate-window:endpoint';
  const [kind, buckets] = name.startsWith(PART) ? ['parts', PART_BUCKETS] : ['names', BUCKETS];
  return `rate-window:${kind}-${(ownerHash(name) % buckets).toString(16).padStart(3, '0')}`;
}

/** Takes `count` requests from the name's fixed window, or none. */
export async function takeWindow(
  cluster: Cluster,
  name: string,
  taking: { readonly count: number; readonly limit: number; readonly windowMs: number },
  withinMs: number,
): Promise<Taken> {
  const event = { type: 'window.take', name, ...taking };
  return ask<Taken>(cluster, windowAddress(name), event, withinMs);
}

/**
 * Takes a slice that this gateway distributes itself. Granted 0 means that the window is used up until `resetInMs` has
 * passed. `askers`: the accounts and client addresses that it is for, at most two.
 */
export async function takeSlice(
  cluster: Cluster,
  name: string,
  slice: {
    readonly limit: number;
    readonly windowMs: number;
    readonly nodes: number;
    readonly askers?: readonly string[];
  },
  withinMs: number,
): Promise<SliceGrant> {
  const event = { type: 'window.slice', name, ...slice };
  return ask<SliceGrant>(cluster, windowAddress(name), event, withinMs);
}

/** Returns the rest of a slice, or reports further askers. Has no effect once its window has ended. */
export function returnSlice(
  cluster: Cluster,
  name: string,
  rest: { readonly count: number; readonly windowStart: number; readonly askers?: readonly string[] },
): void {
  cluster.tell(windowAddress(name), { type: 'window.return', name, ...rest });
}

function explainWindow(view: View): readonly string[] {
  const table = view.context as unknown as WindowTable;
  const left = remainingMs(table, view.now);
  if (left <= 0) return ['The last window is over; the next request begins a new one.'];
  const taken = Object.values(table.counts).reduce((sum, count) => sum + count, table.crowd);
  const lines = [`${taken} requests by ${table.names} names in the current window, which ends in ${left} ms.`];
  if (table.names >= NAMES_MAX) lines.push(`The table is full: further names share one count, now ${table.crowd}.`);
  if (isContended(table)) lines.push('Several accounts or addresses ask, so none may take more than its part.');
  return lines;
}
