/** The rows of a batch's lines. A row is open until the line has its outcome; all are removed when the batch ends. */
import type { Collection, SealedBlob } from '../runtime/index.ts';
import type { ErrorType } from '../terms/refusal.ts';

/** Why a line has no reply. `type` and `code` are those of the live route, or one of a batch. */
export interface LineError {
  readonly type: ErrorType | UnsentType;
  /** HTTP status that the live route would have answered; null for the types of a batch. */
  readonly code: number | null;
  readonly message: string;
  readonly param: string | null;
}

/** Lines that were not sent: the batch was cancelled, its window closed, or the results file had no room for them. */
export type UnsentType = 'batch_cancelled' | 'batch_expired' | 'results_full';

/** A line as submitted. `offset` and `length` locate its JSON text in the blob of bodies, in bytes. */
export type NewLine =
  | { readonly customId: string; readonly offset: number; readonly length: number }
  | { readonly customId: string; readonly refused: LineError };

/** A reply sealed under the key of its hour: small ones in the row, others in a blob. */
type SealedReply = { readonly value: string } | { readonly blob: SealedBlob };

export type LineOutcome = {
  /** Upper bound of the line's bytes in the results file. */
  readonly bytes: number;
} & (
  | { readonly reply: { readonly statusCode: number; readonly body: SealedReply } }
  /** `requestId`: the generation that was charged all the same; null without a charge. */
  | { readonly error: LineError & { readonly requestId: string | null } }
);

/** The row (id = index as text). The ids of the line and of its generation are derived from batch and index. */
export interface LineRecord {
  /** Position in the submission, from 0. */
  readonly index: number;
  readonly customId: string;
  /** Where the body lies; null for a body that was refused. */
  readonly body: { readonly offset: number; readonly length: number } | null;
  /** Null: not ended, or never sent. */
  readonly outcome: LineOutcome | null;
}

/** Lines of one submission. (rule B2) */
export const LINES_MAX = 1_000;
/** One reply. (rule B31) */
export const REPLY_BYTES_MAX = 1024 * 1024;
/** Everything of a result line but reply, error and `custom_id`. */
const ENVELOPE_BYTES = 512;
/** A `custom_id` of 128 characters, written as JSON. */
const CUSTOM_ID_BYTES_MAX = 1_024;
/** The error text that an outcome keeps. */
const ERROR_CHARS_MAX = 1_000;
/** Result line of a line in flight, and of one that is never sent, at most. */
export const LINE_BYTES_MAX = ENVELOPE_BYTES + CUSTOM_ID_BYTES_MAX + REPLY_BYTES_MAX;
export const UNSENT_LINE_BYTES_MAX = ENVELOPE_BYTES + CUSTOM_ID_BYTES_MAX + 256;
/** Open rows that the chart receives when it sends lines: those in flight and as many to be sent. */
export const NEXT_LINES = 16;

export const lineCollection: Collection = {
  sort: (row: LineRecord) => row.index,
  open: (row: LineRecord) => row.outcome === null,
  nextMax: NEXT_LINES,
  index: [
    (row: LineRecord) =>
      row.outcome !== null && 'reply' in row.outcome && 'blob' in row.outcome.reply.body
        ? row.outcome.reply.body.blob.id
        : null,
  ],
  blob: 0,
};

/** Outcome with a reply whose rendered body has `bodyBytes` bytes. */
export function repliedOutcome(
  customId: string,
  reply: { readonly statusCode: number; readonly body: SealedReply },
  bodyBytes: number,
): LineOutcome {
  return { bytes: ENVELOPE_BYTES + jsonBytes(customId) + bodyBytes, reply };
}

/** Outcome with an error; its message is cut to `ERROR_CHARS_MAX`. */
export function failedOutcome(customId: string, error: LineError, requestId: string | null): LineOutcome {
  const { type, code, param } = error;
  const message = error.message.slice(0, ERROR_CHARS_MAX);
  const kept = { type, code, message, param, requestId };
  return { bytes: ENVELOPE_BYTES + jsonBytes(customId) + jsonBytes(kept), error: kept };
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
