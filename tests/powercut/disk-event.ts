/** What reached, or did not reach, the files of a database, in order. `wal` is its log. */
export type DiskFile = 'db' | 'wal';

export type DiskEvent =
  | { readonly type: 'write'; readonly file: DiskFile; readonly at: number; readonly bytes: Buffer }
  | { readonly type: 'resize'; readonly file: DiskFile; readonly size: number }
  /** Everything written to this file before is on the disk. */
  | { readonly type: 'sync'; readonly file: DiskFile }
  /** The writer was told that this version of the pair is committed. */
  | { readonly type: 'acknowledged'; readonly version: number };

/** One run of the writer: the files as they stood when it began, taken as durable, and what followed. */
export interface Recording {
  readonly base: Readonly<Record<DiskFile, Buffer>>;
  readonly events: readonly DiskEvent[];
}
