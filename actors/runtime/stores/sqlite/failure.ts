import { StoreOutcomeUnknown, StoreRefused } from '../../ports/store.ts';

/** A failed operation as sent from the writer's thread: its kind decides what the caller may conclude. */
export interface StoreFailure {
  /**
   * `fatal`: the disk returned an error, so later results cannot be trusted; `unknown`: the operation may have
   * happened.
   */
  readonly kind: 'full' | 'busy' | 'unreachable' | 'unknown' | 'fatal';
  readonly message: string;
}

/**
 * An unknown outcome because the disk failed or the file is damaged. The process must exit and start again from the
 * disk: after a failed fsync, later ones can report success for lost bytes.
 */
export class StoreFatal extends StoreOutcomeUnknown {
  readonly fatal = true;
}

/** The code of a driver error; null for other errors. */
export function sqliteCode(error: unknown): string | null {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : null;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** Classifies an error thrown inside a transaction that was rolled back. */
export function failureOf(error: unknown): StoreFailure {
  const code = sqliteCode(error) ?? '';
  const message = error instanceof Error ? `${code ? `${code}: ` : ''}${error.message}` : String(error);
  if (code.startsWith('SQLITE_BUSY')) return { kind: 'busy', message };
  if (code === 'SQLITE_FULL') return { kind: 'full', message };
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)) return { kind: 'fatal', message };
  return { kind: 'unreachable', message };
}

/** The port's error for a failure. */
export function errorOf(failure: StoreFailure): StoreOutcomeUnknown | StoreRefused {
  if (failure.kind === 'fatal') return new StoreFatal(failure.message);
  if (failure.kind === 'unknown') return new StoreOutcomeUnknown(failure.message);
  return new StoreRefused(failure.kind, failure.message);
}
