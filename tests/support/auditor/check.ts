/** The result of one invariant: how many items were examined and which of them violate it. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly examined: number;
  readonly violations: readonly string[];
}

const EVIDENCE_LINES_MAX = 20;

/** Collects one check. A check that examined nothing proves nothing; the caller decides whether that is a failure. */
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

  /** Examines one item; `violation` is called only if it does not hold. */
  expect(holds: boolean, violation: () => string): void {
    this.#examined++;
    if (holds) return;
    this.#broken++;
    if (this.#lines.length < EVIDENCE_LINES_MAX) this.#lines.push(violation());
  }

  done(): Check {
    const more = this.#broken - this.#lines.length;
    const violations = more > 0 ? [...this.#lines, `... and ${more} more`] : this.#lines;
    return { id: this.#id, title: this.#title, examined: this.#examined, violations };
  }
}
