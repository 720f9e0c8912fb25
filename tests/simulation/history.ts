import { createHash } from 'node:crypto';

/** Largest number of history lines in a report. */
const SLICE_LINES = 60;

/** The ordered text log of one run. Two runs with the same hash are identical. */
export class History {
  readonly lines: string[] = [];
  readonly #hash = createHash('sha256');
  readonly #now: () => number;
  readonly #counts = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  note(what: string, more: Readonly<Record<string, unknown>> = {}): void {
    const line = `${this.#now().toFixed(3)} ${what} ${JSON.stringify(more)}`;
    this.#hash.update(line);
    this.lines.push(line);
  }

  /** Counts one occurrence of a situation that the runs must cover. */
  saw(situation: string): void {
    this.#counts.set(situation, (this.#counts.get(situation) ?? 0) + 1);
  }

  get situations(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  hash(): string {
    return this.#hash.copy().digest('hex');
  }

  /** The last lines that contain one of these words, or the last lines of the history if none does. */
  slice(words: readonly string[]): readonly string[] {
    const named = this.lines.filter((line) => words.some((word) => line.includes(word)));
    return (named.length > 0 ? named : this.lines).slice(-SLICE_LINES);
  }
}
