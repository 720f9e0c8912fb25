/** Messages between a store and its writer's thread. Both sides are one build in one process. */
import type { MessagePort } from 'node:worker_threads';
import type { RowRecord } from '../../ports/store.ts';
import type { VerdictCode } from './apply-commit.ts';
import type { StoreFailure } from './failure.ts';
import type { nodes, ownership, settings } from './membership.ts';
import type { Packed } from './packed-commit.ts';

export interface WriterStart {
  readonly path: string;
  readonly shards: number;
  /** Longest wait for the write lock per transaction, ms. */
  readonly busyBoundMs: number;
  /**
   * Minimum time between the end of one commit and the start of the next, ms, during which other processes can take the
   * lock.
   */
  readonly yieldMs: number;
  /** Databases up to this size are checked page by page at the start; larger ones are checked only as they are read. */
  readonly checkBytesMax: number;
  /** Seed of the random lock waits. */
  readonly seed: number;
  /** One integer: duration of the current wait for the lock, ms; 0 without a wait. */
  readonly waited: SharedArrayBuffer;
  /** Port for requests that overtake waiting commits. */
  readonly urgent: MessagePort;
}

type Nodes = ReturnType<typeof nodes>;
type Ownership = ReturnType<typeof ownership>;
type Settings = Pick<ReturnType<typeof settings>, 'setting'>;

/** All requests other than commits are named operations. */
export interface WriterOperations extends Nodes, Ownership, Settings {
  sweepRows(now: number, limit: number): number;
  removeRows(rows: readonly RowRecord[]): number;
}

export type WriterRequest =
  | { readonly id: number; readonly commit: Packed }
  | { readonly id: number; readonly call: keyof WriterOperations; readonly args: readonly unknown[] }
  | { readonly id: number; readonly close: true };

export type WriterAnswer =
  | { readonly started: true }
  | { readonly refused: string }
  /** The disk failed between two requests. */
  | { readonly broken: StoreFailure }
  | { readonly id: number; readonly verdicts: readonly VerdictCode[] }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: StoreFailure };
