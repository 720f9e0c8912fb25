/** Where expired rows are kept outside of the store before a sweep removes them. */
import type { RowKey, RowRecord } from './store.ts';

export interface RowExport {
  /** Resolves when those of the rows that are exported are durable outside. */
  keep(rows: readonly RowRecord[]): Promise<readonly KeptRows[]>;
  /** What an ended process kept whose removal may not have ended. */
  unfinished(): AsyncIterable<KeptRows>;
}

/** Rows that are durable outside, of one collection. */
export interface KeptRows {
  readonly keys: readonly RowKey[];
  /** True for a row that is stored as it was kept. */
  has(row: RowRecord): boolean;
  /** Called once those that it has are removed. A repeat has no effect. */
  end(): Promise<void>;
}
