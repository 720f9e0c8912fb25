import { createHash } from 'node:crypto';

/** Longest slice of a history that is shown. */
const SLICE_LINES = 60;

/** Everything that happened in one run, in order, as text; its hash tells whether two runs were the same. */
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

  /** One more of a situation that some run must have seen. */
  saw(situation: string): void {
    this.#counts.set(situation, (this.#counts.get(situation) ?? 0) + 1);
  }

  get situations(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  hash(): string {
    return this.#hash.copy().digest('hex');
  }

  /** The last lines that name one of these words, else the last of all. */
  slice(words: readonly string[]): readonly string[] {
    const named = this.lines.filter((line) => words.some((word) => line.includes(word)));
    return (named.length > 0 ? named : this.lines).slice(-SLICE_LINES);
  }
}
