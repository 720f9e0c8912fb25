import type { Json } from '../actor/event.ts';
import type { ActivityAttempt } from '../durable/cluster-port.ts';
import type { CommittedStep, Publication } from '../durable/engine.ts';

/** Messages of a control stream, as JSON text: a closed union. */
export type Signal =
  /** Keeps an idle link alive. */
  | { readonly type: 'ping' }
  /** Owners that the sender has just read from the store: [shard, incarnation, epoch]. */
  | { readonly type: 'shards'; readonly owners: readonly (readonly [number, string, number])[] }
  /** The sender is ready: its board is complete and shards may move to it. */
  | { readonly type: 'ready' }
  /** The sender's row says draining from now on: read the store. */
  | { readonly type: 'draining' }
  /** The sender's open work has ended; it no longer needs shards of draining peers. */
  | { readonly type: 'leaving' }
  /** These incarnations are dead in the store. */
  | { readonly type: 'dead'; readonly incarnations: readonly string[]; readonly why: string }
  /** Digest of the sender's board: [topic, key, epoch, version]; `last` ends the list. */
  | { readonly type: 'board.digest'; readonly entries: readonly BoardDigest[]; readonly last: boolean }
  | { readonly type: 'board.items'; readonly items: readonly Publication[] }
  /** Sent after every value that the receiver lacked. */
  | { readonly type: 'board.synced' }
  | { readonly type: 'call'; readonly id: number; readonly call: ControlCall }
  | { readonly type: 'answer'; readonly id: number; readonly body: Json; readonly error: string | null }
  /** The sender watches, or no longer watches, these topics: owners and patterns (`watchers.ts`). */
  | { readonly type: 'watch.start' | 'watch.stop'; readonly topics: readonly string[] }
  /** For these topics: actors of watched owners that have committed, owners of which any may have, and steps. */
  | {
      readonly type: 'watch.seen';
      readonly addresses: readonly string[];
      readonly owners: readonly string[];
      readonly steps: readonly CommittedStep[];
    };

export type BoardDigest = readonly [topic: string, key: string, epoch: number, version: number];

/** Calls from node to node: for an operator, or about activities that run there. */
export type ControlCall =
  | { readonly verb: 'inspect'; readonly address: string }
  | { readonly verb: 'reload'; readonly address: string }
  | { readonly verb: 'quarantined' }
  /** The node's own report for `ps`. */
  | { readonly verb: 'report' }
  /** Actors of resident kinds by state. */
  | { readonly verb: 'residents' }
  /** `missing`: which of these attempts do not run there. `abort`: abort them. */
  | { readonly verb: 'missing' | 'abort'; readonly attempts: readonly ActivityAttempt[] }
  /** A question to the host of that node. */
  | { readonly verb: 'host'; readonly name: string; readonly input: Json }
  | { readonly verb: 'drain' };

const TYPES: ReadonlySet<string> = new Set([
  'ping',
  'shards',
  'ready',
  'draining',
  'leaving',
  'dead',
  'board.digest',
  'board.items',
  'board.synced',
  'call',
  'answer',
  'watch.start',
  'watch.stop',
  'watch.seen',
]);

/** Null for signals that this build does not know: a newer peer of the same wire major may send more. */
export function parseSignal(text: string): Signal | null {
  const value = JSON.parse(text) as { type?: unknown } | null;
  return typeof value?.type === 'string' && TYPES.has(value.type) ? (value as Signal) : null;
}

export function renderSignal(signal: Signal): string {
  return JSON.stringify(signal);
}
