/** A failure that a person can mend: its message is one line that says what is wrong, where, and the remedy. */
export class ConfigError extends Error {
  override readonly name = 'Fault';
}

/** The one line of anything thrown, for people: no stack, no line breaks. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
