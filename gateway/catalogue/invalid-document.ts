import type { ValidationError } from './validation-error.ts';

/** A complaint about a document, on its way to whoever knows the text. */
export class InvalidDocument extends Error implements ValidationError {
  override readonly name = 'Flaw';
  readonly path: readonly string[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path.map(String);
  }
}
