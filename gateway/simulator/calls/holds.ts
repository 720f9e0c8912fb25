/** What directives hold back until a test releases it by its name, so that no test depends on how fast a machine is. */
export class Holds {
  readonly #released = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** False without a name. */
  isHeld(name: string | null | undefined): name is string {
    return name !== null && name !== undefined && !this.#released.has(name);
  }

  /** Runs once the name is released, unless the returned function is called first. */
  onRelease(name: string, run: () => void): () => void {
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting.add(run));
    return () => void waiting.delete(run);
  }

  /** Also of what is called later. */
  release(name: string): void {
    this.#released.add(name);
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    for (const run of waiting) run();
  }
}
