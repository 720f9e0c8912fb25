import type { Cancel } from '../../../actors/runtime/ports/clock.ts';
import type { Dice } from './dice.ts';
import { Heap } from './heap.ts';

/** The process an item runs in; it may be paused or gone. */
export class Place {
  readonly name: string;
  state: 'running' | 'paused' | 'gone' = 'running';
  /** Items that fell due while paused, in order. */
  readonly backlog: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }
}

interface Item {
  readonly at: number;
  /** Tie-breaker between items of the same time: random, so that the seeds together try every order. */
  readonly draw: number;
  readonly order: number;
  readonly place: Place | null;
  run: (() => void) | null;
}

/** Lower than any random tie-breaker: items missed during a pause run first, in order, on resume. */
const MISSED = -1;

/**
 * Virtual time: the queue of all future events, ordered by the seed alone. Between two items all ready promises run. It
 * never waits for real time.
 */
export class Scheduler {
  /** Virtual ms since the world began. */
  now = 0;
  /** Items run so far. */
  ran = 0;
  readonly #items = new Heap<Item>(isBefore);
  readonly #dice: Dice;
  #orders = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Runs `run` at `now + delayMs`, as part of `place` if one is given: late if the place is paused, never if it is gone. */
  after(delayMs: number, run: () => void, place: Place | null = null): Cancel {
    return this.#add(this.now + Math.max(0, delayMs), this.#dice.fraction(), run, place);
  }

  pause(place: Place): void {
    if (place.state === 'running') place.state = 'paused';
  }

  resume(place: Place): void {
    if (place.state !== 'paused') return;
    place.state = 'running';
    for (const run of place.backlog.splice(0)) this.#add(this.now, MISSED, run, place);
  }

  /** Ends a place: its items never run. */
  end(place: Place): void {
    place.state = 'gone';
    place.backlog.length = 0;
  }

  /** Runs until the queue is empty or `done` returns true; `done` is called after every item. */
  async run(done: () => boolean): Promise<void> {
    await turn();
    while (!done()) {
      const item = this.#items.take();
      if (item === undefined) return;
      if (!this.#isDue(item)) continue;
      this.now = item.at;
      this.ran += 1;
      item.run?.();
      await turn();
    }
  }

  #add(at: number, draw: number, run: () => void, place: Place | null): Cancel {
    const item: Item = { at, draw, order: this.#orders++, place, run };
    this.#items.add(item);
    return () => {
      item.run = null;
    };
  }

  #isDue(item: Item): boolean {
    const { place, run } = item;
    if (run === null || place?.state === 'gone') return false;
    if (place?.state !== 'paused') return true;
    this.now = item.at;
    place.backlog.push(() => item.run?.());
    return false;
  }
}

/** Runs all ready promise callbacks. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function isBefore(a: Item, b: Item): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.draw !== b.draw ? a.draw < b.draw : a.order < b.order;
}
