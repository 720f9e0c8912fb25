import type { ValidationError } from './validation-error.ts';

/** Validation errors without their lines; `models-document.ts`, which has the text, converts them to `BrokenDocument`. */
export class InvalidDocument extends Error implements ValidationError {
  override readonly name = 'InvalidDocument';
  readonly path: readonly string[];
  /** Every error that was found, this one first. */
  readonly faults: readonly ValidationError[];

  constructor(path: readonly (string | number)[], message: string, others: readonly ValidationError[] = []) {
    super(message);
    this.path = path.map(String);
    this.faults = [{ path: this.path, message }, ...others];
  }
}

/** One error for all of them; there must be at least one. */
export function invalidDocument([first, ...others]: readonly ValidationError[]): InvalidDocument {
  return new InvalidDocument(first?.path ?? [], first?.message ?? 'the document does not fit its schema', others);
}
