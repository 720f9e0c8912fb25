/** A UTC month: store times of its beginning and of the next one's, ms. */
export interface Month {
  /** `YYYY-MM`. */
  readonly name: string;
  readonly from: number;
  readonly till: number;
}

/** Null for text that names no month. */
export function parseMonth(text: string): Month | null {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text) ? monthOf(Date.parse(`${text}-01`)) : null;
}

/** The month that contains a store time. */
export function monthOf(at: number): Month {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { name: date.toISOString().slice(0, 7), from: Date.UTC(year, month, 1), till: Date.UTC(year, month + 1, 1) };
}
