/** One clause of the Blobs contract, and the shared parts of all clauses. */
import type { Blobs, OpenBlob } from '../../../actors/runtime/ports/blobs.ts';
import { pieces } from '../../support/pieces.ts';
import type { Clause as ClauseOf } from '../clauses.ts';

/** The parts with which an implementation is opened. */
export const BLOB_BYTES_MAX = 3 * 1024 * 1024;
export const BLOB_WRITES_MAX = 4;

/** One opened, empty blob store under the given clock. */
export interface OpenedBlobs {
  readonly blobs: Blobs;
  /** Another node's view of the same blobs. */
  readonly other: Blobs;
  /** Changes stored bytes without the port: flips a bit, truncates, or inserts another blob's bytes. */
  readonly damage: (id: string, change: (bytes: Buffer) => Buffer) => Promise<void>;
  /** The ranges of stored bytes that this node has read since the last call, as [at, bytes]. */
  readonly touched: () => readonly (readonly [number, number])[];
  readonly close: () => Promise<void>;
}

export type Clause = ClauseOf<OpenedBlobs>;

export async function put(blobs: Blobs, bytes: Uint8Array = pieces.random(1_000)): Promise<OpenBlob> {
  return blobs.put(pieces.of(bytes));
}
