/** The events of a file as its chart receives them. */
import type { Stamped } from '../runtime/index.ts';
import type { FileRecord } from './file-record.ts';

/** What the uploader knows of a file; the step adds the times. */
export type NewFile = Omit<FileRecord, 'createdAt' | 'expiresAt'>;

export type FileStore = Stamped & {
  readonly type: 'file.store';
  readonly file: NewFile;
  /** Time for which the file can be read, ms. */
  readonly lifetimeMs: number;
  /** The most bytes that the account may have stored, this file included. */
  readonly accountBytesMax: number;
};

export type FileEvent =
  | FileStore
  /** `repeat`: a second delivery, whose first one may have deleted the file. */
  | (Stamped & { readonly type: 'file.delete'; readonly repeat?: boolean })
  /** Timer: the lifetime is over, or a deleted file's id need no longer be known. */
  | (Stamped & { readonly type: 'file.expire' })
  | (Stamped & { readonly type: 'file.forget' });
