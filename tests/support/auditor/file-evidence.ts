/** What a run recorded about stored files. Times are monotonic ms of the client process. */
export interface FileEvidence {
  readonly uploads: readonly UploadSeen[];
  readonly reads: readonly FileRead[];
  readonly deletions: readonly FileDeletion[];
  /** Requests beyond a bound of files, with the status that they must get. */
  readonly refusals: readonly { readonly what: string; readonly expected: number; readonly status: number | null }[];
  /** Times during which the key store was out of reach of every node. */
  readonly keyless: readonly { readonly from: number; readonly to: number }[];
  /** Rows of files after the run. */
  readonly stored: readonly { readonly account: string; readonly id: string; readonly filename: string }[];
  /** When those rows were read; absent: before the end of any file. */
  readonly storedAt?: number;
  /** Attempts to open the stored bytes with the key store as it is at some age of the copy. */
  readonly openings: readonly Opening[];
  /** Hours between the beginning of each key's hour and the moment at which the key folder was listed. */
  readonly keyAgesHours: readonly number[];
  /** Files in which the bytes of a sealing key were looked for, and those in which they were found. */
  readonly searched: readonly { readonly file: string; readonly found: boolean }[];
  /** By how much the store time of a node may differ. */
  readonly slackMs?: number;
  /** The bytes that each account counts, against those of its rows, once the run is quiet. */
  readonly storage?: readonly StorageSeen[];
}

interface StorageSeen {
  readonly account: string;
  readonly counted: number;
  readonly stored: number;
  readonly bytesMax: number;
}

export interface UploadSeen {
  readonly account: string;
  /** Unique name of the uploaded file. */
  readonly filename: string;
  readonly digest: string;
  readonly at: number;
  readonly endAt: number;
  /** Null: the outcome is unknown. */
  readonly status: number | null;
  /** Null unless the upload was acknowledged. */
  readonly id: string | null;
  /** Clock ms of the client's process at which the file ends; null unless acknowledged. */
  readonly endsAt: number | null;
}

export interface FileRead {
  /** The account that asks; the id may be malformed, unknown or another account's. */
  readonly account: string;
  readonly id: string;
  readonly way: 'record' | 'content' | 'chat';
  readonly at: number;
  readonly endAt: number;
  readonly status: number | null;
  /** Of the bytes, for a content that arrived. */
  readonly digest: string | null;
  /** The body of a refusal. */
  readonly refusal: string | null;
}

export interface FileDeletion {
  readonly account: string;
  readonly id: string;
  readonly at: number;
  readonly endAt: number;
  readonly status: number | null;
}

export interface Opening {
  readonly id: string;
  readonly ageHours: number;
  readonly place: 'own' | 'other account' | 'other object' | 'other kind';
  readonly opened: boolean;
}
