/** One invariant, held against the evidence: how many things were looked at and which of them broke it. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly examined: number;
  readonly violations: readonly string[];
}

const EVIDENCE_LINES_MAX = 20;

/** Gathers one check. A check that examined nothing proves nothing: the caller decides whether that is a failure. */
export class Checking {
  readonly #id: string;
  readonly #title: string;
  #examined = 0;
  #broken = 0;
  readonly #lines: string[] = [];

  constructor(id: string, title: string) {
    this.#id = id;
    this.#title = title;
  }

  /** Looks at one thing; `complaint` is only called when it does not hold. */
  expect(holds: boolean, complaint: () => string): void {
    this.#examined++;
    if (holds) return;
    this.#broken++;
    if (this.#lines.length < EVIDENCE_LINES_MAX) this.#lines.push(complaint());
  }

  done(): Check {
    const more = this.#broken - this.#lines.length;
    const violations = more > 0 ? [...this.#lines, `... and ${more} more`] : this.#lines;
    return { id: this.#id, title: this.#title, examined: this.#examined, violations };
  }
}
