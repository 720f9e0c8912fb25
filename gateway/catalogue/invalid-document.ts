import type { ValidationError } from './validation-error.ts';

/** A validation error without its line; `models-document.ts`, which has the text, converts it to `BrokenDocument`. */
export class InvalidDocument extends Error implements ValidationError {
  override readonly name = 'InvalidDocument';
  readonly path: readonly string[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path.map(String);
  }
}
