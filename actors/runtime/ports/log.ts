/** One log record of the runtime: plain data, never a secret. */
interface LogRecord {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Every line names the node that writes it. Another one is a `peer`. */
  readonly node?: never;
  readonly [key: string]: unknown;
}

/** Writes one log record of the runtime. */
export type Log = (record: LogRecord) => void;

/** The message of a thrown value. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
