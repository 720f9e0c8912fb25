/** One record of the log, as what has no logger of its own writes it: never with a secret, a prompt or a key. */
export interface LogRecord {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [member: string]: unknown;
}
