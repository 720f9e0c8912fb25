/** What travels between the writer's thread and the mover's, which copies the log into the database beside it. */
import type { Failure } from './failure.ts';

export interface CheckpointerStart {
  readonly path: string;
  /** One integer, one of the states below: the writer sets `MOVING` when it asks, the mover what came of it. */
  readonly state: SharedArrayBuffer;
}

export const IDLE = 0;
export const MOVING = 1;
/** The disk failed: nothing is moved any more, and nobody of this process may let the log start anew. */
export const FAILED = 2;

export type CheckpointerRequest = { readonly move: true } | { readonly close: true };

/** Said once, when the disk failed. */
export interface CheckpointerAnswer {
  readonly failure: Failure;
}
