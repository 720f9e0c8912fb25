import { Slab } from '../../actors/runtime/index.ts';

/** Work that goes on after its caller was answered: settles, releases, answers read to their end. */
export class BackgroundWork {
  readonly #work = new Slab<Promise<void>>();

  get count(): number {
    return this.#work.size;
  }

  /** `work` never rejects. */
  add(work: Promise<void>): void {
    const place = this.#work.add(work);
    void work.finally(() => this.#work.take(place));
  }

  /** Resolves when nothing is under way, work that began meanwhile included. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work.all());
  }
}
