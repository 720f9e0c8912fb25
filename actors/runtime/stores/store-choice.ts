/** What an operator configures of a store, and what tools read of one. The same for every store, so it imports none. */
import type { Store } from '../ports/store.ts';

/** The configured store and its own options. Times in ms. */
export type StoreChoice = SqliteChoice | PostgresChoice;

export interface SqliteChoice {
  readonly kind: 'sqlite';
  readonly path: string;
  readonly busyMs: number;
  readonly ballastBytes: number;
}

export interface PostgresChoice {
  readonly kind: 'postgres';
  readonly url: string;
  /** The separate database of the sealing keys; with the unset variable that would name it where its URL is the default. */
  readonly keys: { readonly url: string; readonly unsetVariable: string | null };
  readonly bounds: PostgresBounds;
}

/** Bounds of one connection; times in ms. */
export interface ConnectionBounds {
  readonly connectMs: number;
  /** Longest wait for one lock; the call then fails. */
  readonly lockMs: number;
  /** Longest execution of one call on the server. */
  readonly statementMs: number;
  /** The server ends a transaction that a stalled process left open after this time. */
  readonly idleInTransactionMs: number;
  /** The server drops a client that acknowledges nothing for this time. */
  readonly peerSilentMs: number;
  /** Interval of probes on an idle connection, from both sides. */
  readonly keepAliveMs: number;
}

export interface ConnectionLaneBounds {
  /** Longest wait for an answer before the connection is dropped; larger than the server's own bounds. */
  readonly answerMs: number;
  readonly callsMax: number;
  /** Maximum attempts of a call that the server refused for a deadlock or a conflict, the first included. */
  readonly triesMax: number;
  /** Longest pause between two attempts; the actual pause is random. */
  readonly retryMsMax: number;
}

/** Every bound of the store; times in ms. */
export interface PostgresBounds extends ConnectionBounds, ConnectionLaneBounds {
  /** Connections for commits, each with a fixed part of the shards. */
  readonly writers: number;
  /** Connections for reads. */
  readonly readers: number;
}

/** The read operations of a store that tools need. */
export type StoreReader = Pick<
  Store,
  'actorCounts' | 'states' | 'loadActor' | 'listActors' | 'rows' | 'rowById' | 'close'
>;
