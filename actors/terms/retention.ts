/**
 * How long ended rows are kept, in days; null keeps them for ever. A change applies to rows that are written after it, and
 * to all entries of ledger and audit logs.
 */
export interface Retention {
  /** Records of generations, from their creation. One that still runs is kept. */
  readonly generations: number | null;
  /** Rows of activity: the sums of a key by day, model and endpoint. */
  readonly activity: number | null;
  /** Recorded steps of actors. */
  readonly history: number;
  /** Entries of the ledger, by whole UTC months from their end, at least `CHAIN_DAYS_MIN`. */
  readonly ledger: number | null;
  /** Entries of audit logs, as the ledger's. */
  readonly audit: number | null;
  /** Folder that first receives what of these is removed, but recorded steps; null: nothing is exported. */
  readonly export: string | null;
}

/** Thirteen months of activity: a year can be compared with the one before. */
export const USUAL_RETENTION: Retention = {
  generations: 90,
  activity: 400,
  history: 7,
  ledger: null,
  audit: null,
  export: null,
};

const DAY_MS = 24 * 60 * 60_000;

export function daysMs(days: number): number;
export function daysMs(days: number | null): number | null;
export function daysMs(days: number | null): number | null {
  return days === null ? null : days * DAY_MS;
}
