import type { Complaint } from './complaint.ts';

/** A complaint about a document, on its way to whoever knows the text. */
export class Flaw extends Error implements Complaint {
  override readonly name = 'Flaw';
  readonly path: readonly string[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path.map(String);
  }
}
