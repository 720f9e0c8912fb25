import pg from 'pg';
import { StoreOutcomeUnknown, StoreRefused } from '../../ports/store.ts';

const DISK_FULL = '53100';
/** Lock not available, cancelled (statement time-out), serialization, deadlock, out of memory, too many connections. */
const BUSY = new Set(['55P03', '57014', '40001', '40P01', '53200', '53300']);
/** These codes mean that the same call can succeed if repeated. */
const REPEATABLE = new Set(['40001', '40P01']);

/** The five-character code of a server error; null for other errors. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.has(sqlState(error) ?? '');
}

/** The error for a call that certainly changed nothing. */
export function refusalOf(error: unknown): StoreRefused {
  const code = sqlState(error) ?? '';
  const message = `${code ? `${code}: ` : ''}${messageOf(error)}`;
  if (code === DISK_FULL) return new StoreRefused('full', message);
  return new StoreRefused(BUSY.has(code) ? 'busy' : 'unreachable', message);
}

export function unknownOutcome(error: unknown): StoreOutcomeUnknown {
  return new StoreOutcomeUnknown(`the connection was lost during the call: ${messageOf(error)}`, { cause: error });
}

/** When several addresses of one name failed, the driver throws an AggregateError without a message. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return [...new Set(error.errors.map((each) => messageOf(each)))].join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
