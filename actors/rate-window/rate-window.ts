/**
 * The rate-window kind, and how to take from a window. Names (digests of unknown keys, hashed client addresses) are many
 * and anybody can make more, so they are spread over a fixed number of actors with bounded tables: strangers can neither
 * fill the memory nor leave more than that many rows in the store.
 */
import { type Cluster, type Json, type Kind, ownerHash, type View } from '../runtime/index.ts';
import { same } from '../terms/same.ts';
import { rateWindowMachine } from './rate-window.machine.ts';
import type { SliceGrant, Taken } from './share.ts';
import { NAMES_MAX, remainingMs, type WindowTable } from './table.ts';

/** Actors that share all names. With 64 names each: at most 10 MB in the whole cluster, whatever is thrown at it. */
const BUCKETS = 1_024;

/** The shared backstop of the whole endpoint has an actor of its own. */
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

/** The actor that counts for this name. */
export function windowAddress(name: string): string {
  if (name === ENDPOINT_WINDOW) return 'rate-window:endpoint';
  return `rate-window:names-${(ownerHash(name) % BUCKETS).toString(16).padStart(3, '0')}`;
}

/** Takes `count` requests of the name's fixed window, or none. */
export async function takeWindow(
  cluster: Cluster,
  name: string,
  taking: { readonly count: number; readonly limit: number; readonly windowMs: number },
  withinMs: number,
): Promise<Taken> {
  const event = { type: 'window.take', name, ...taking };
  return (await cluster.ask(windowAddress(name), event, { withinMs, repeat: same })) as unknown as Taken;
}

/** Takes a slice for this gateway to give out; 0 granted means used up until `resetInMs` has passed. */
export async function takeSlice(
  cluster: Cluster,
  name: string,
  slice: { readonly limit: number; readonly windowMs: number; readonly nodes: number },
  withinMs: number,
): Promise<SliceGrant> {
  const event = { type: 'window.slice', name, ...slice };
  return (await cluster.ask(windowAddress(name), event, { withinMs, repeat: same })) as unknown as SliceGrant;
}

/** Gives the rest of a slice back; of no use once its window is over. */
export function returnSlice(
  cluster: Cluster,
  name: string,
  rest: { readonly count: number; readonly windowStart: number },
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
  return lines;
}
