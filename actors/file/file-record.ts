import type { Collection, SealedBlob } from '../runtime/index.ts';
import { timeOfId } from '../terms/ids.ts';

/** The row of a stored file. It exists exactly as long as the file can be read. (rule B37) */
export interface FileRecord {
  /** `file_` and 32 hex digits. */
  readonly id: string;
  /** Account id, without the kind. */
  readonly account: string;
  /** As uploaded, any script, without control characters. */
  readonly filename: string;
  readonly bytes: number;
  /** Media type, determined from the bytes. */
  readonly mimeType: string;
  readonly purpose: FilePurpose;
  /** Store times, ms. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly blob: SealedBlob;
}

/** The purposes of the OpenAI files API. `batch_output` marks results files and is not accepted for uploads. */
export const UPLOAD_PURPOSES = ['user_data', 'assistants', 'batch', 'fine-tune', 'vision', 'evals'] as const;
export type FilePurpose = (typeof UPLOAD_PURPOSES)[number] | 'batch_output';

/** Index columns of the file collection. */
export const FILE_ACCOUNT = 0;
export const FILE_PURPOSE = 1;
const FILE_BLOB = 2;

/** Files sort by the time in their ids, so that a page can continue after a file that no longer exists. */
export const fileCollection: Collection = {
  sort: (row: FileRecord) => timeOfId(row.id),
  index: [
    (row: FileRecord) => row.account,
    (row: FileRecord) => purposeColumn(row.account, row.purpose),
    (row: FileRecord) => row.blob.id,
  ],
  blob: FILE_BLOB,
};

/** The look-up text of an account's files with one purpose. */
export function purposeColumn(account: string, purpose: string): string {
  return `${account} ${purpose}`;
}
