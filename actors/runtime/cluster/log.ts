/** One log record of the runtime: a fixed scope and plain data, never a secret. */
export type Log = (record: {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [key: string]: unknown;
}) => void;

/** The message of a thrown value. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
