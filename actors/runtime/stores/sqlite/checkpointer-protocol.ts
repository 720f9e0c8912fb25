/** Messages between the writer's thread and the checkpointer's, which copies the log into the database. */
import type { StoreFailure } from './failure.ts';

export interface CheckpointerStart {
  readonly path: string;
  /**
   * One integer with one of the states below: the writer sets `RUNNING` with a request, the checkpointer sets the
   * result.
   */
  readonly state: SharedArrayBuffer;
}

export const IDLE = 0;
export const RUNNING = 1;
/** The disk failed: no further checkpoint runs, and this process must not restart the log. */
export const FAILED = 2;

export type CheckpointerRequest = { readonly run: true } | { readonly close: true };

/** Sent once, when the disk failed. */
export interface CheckpointerAnswer {
  readonly failure: StoreFailure;
}
