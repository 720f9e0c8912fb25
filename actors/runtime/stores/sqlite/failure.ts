import { StoreOutcomeUnknown, StoreRefused } from '../../ports/store.ts';

/** A failed operation as it travels from the writer's thread: what the caller may conclude, and why. */
export interface Failure {
  /** `fatal`: the disk answered an error, nothing later can be trusted; `unknown`: may have happened. */
  readonly kind: 'full' | 'busy' | 'unreachable' | 'unknown' | 'fatal';
  readonly message: string;
}

/**
 * An outcome that is unknown because the disk failed or the file is damaged. The process should end and start again
 * from what is on disk: after a failed fsync later ones may answer success for bytes that are gone.
 */
export class StoreFatal extends StoreOutcomeUnknown {
  readonly fatal = true;
}

/** The code of a driver error, or null for anything else. */
export function sqliteCode(error: unknown): string | null {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined;
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : null;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') ?? false;
}

/** What an error thrown inside a transaction, which was rolled back, means to the caller. */
export function failureOf(error: unknown): Failure {
  const code = sqliteCode(error) ?? '';
  const message = error instanceof Error ? `${code ? `${code}: ` : ''}${error.message}` : String(error);
  if (code.startsWith('SQLITE_BUSY')) return { kind: 'busy', message };
  if (code === 'SQLITE_FULL') return { kind: 'full', message };
  if (/^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(code)) return { kind: 'fatal', message };
  return { kind: 'unreachable', message };
}

/** The error the port promises for a failure. */
export function errorOf(failure: Failure): StoreOutcomeUnknown | StoreRefused {
  if (failure.kind === 'fatal') return new StoreFatal(failure.message);
  if (failure.kind === 'unknown') return new StoreOutcomeUnknown(failure.message);
  return new StoreRefused(failure.kind, failure.message);
}
