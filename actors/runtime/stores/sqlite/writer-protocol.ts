/** What travels between a store and its writer's thread. Both sides are one build in one process. */
import type { MessagePort } from 'node:worker_threads';
import type { VerdictCode } from './apply-commit.ts';
import type { Failure } from './failure.ts';
import type { nodes } from './nodes.ts';
import type { ownership } from './ownership.ts';
import type { Packed } from './packed-commit.ts';

export interface WriterStart {
  readonly path: string;
  readonly shards: number;
  /** Longest wait for the write lock per transaction, ms. */
  readonly busyBoundMs: number;
  /** Least time between the end of one commit and the begin of the next, ms: the others' chance at the lock. */
  readonly yieldMs: number;
  /** Databases up to this size are checked page by page at the start; larger ones only as far as they are read. */
  readonly checkBytesMax: number;
  /** Seeds the waits. */
  readonly seed: number;
  /** One integer: ms the present wait for the lock has lasted, 0 when there is none. */
  readonly waited: SharedArrayBuffer;
  /** Requests that go ahead of waiting commits. */
  readonly urgent: MessagePort;
}

type Nodes = ReturnType<typeof nodes>;
type Ownership = Omit<ReturnType<typeof ownership>, 'settleShardCount'>;

/** Everything but commits is an operation by name. */
export interface WriterOperations extends Nodes, Ownership {
  sweepRows(now: number, limit: number): number;
}

export type WriterRequest =
  | { readonly id: number; readonly commit: Packed }
  | { readonly id: number; readonly call: keyof WriterOperations; readonly args: readonly unknown[] }
  | { readonly id: number; readonly close: true };

export type WriterAnswer =
  | { readonly started: true }
  | { readonly refused: string }
  /** The disk failed between two requests. */
  | { readonly broken: Failure }
  | { readonly id: number; readonly verdicts: readonly VerdictCode[] }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure };
