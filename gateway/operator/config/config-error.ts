/** A failure that the user can correct: its one-line message names the error, its place, and the remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Further failures of the same kind, one line each. */
  readonly further: readonly string[];

  constructor(message: string, further: readonly string[] = []) {
    super(message);
    this.further = further;
  }
}

/** Every failure that a thrown value names, one line each. */
export function linesOf(error: unknown): readonly string[] {
  return error instanceof ConfigError ? [lineOf(error), ...error.further] : [lineOf(error)];
}

/** The message of any thrown value as one line, without stack or line breaks. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
