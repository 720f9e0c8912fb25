/** Writes to the files of a database, in order. `wal` is its log. */
export type DiskFile = 'db' | 'wal';

export type DiskEvent =
  | { readonly type: 'write'; readonly file: DiskFile; readonly at: number; readonly bytes: Buffer }
  | { readonly type: 'resize'; readonly file: DiskFile; readonly size: number }
  /** All earlier writes to this file are durable. */
  | { readonly type: 'sync'; readonly file: DiskFile }
  /** The commit of this version of the pair was acknowledged to the writer. */
  | { readonly type: 'acknowledged'; readonly version: number };

/** One run of the writer: the files at its start, assumed durable, and the following events. */
export interface Recording {
  readonly base: Readonly<Record<DiskFile, Buffer>>;
  readonly events: readonly DiskEvent[];
}
