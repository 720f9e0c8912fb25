import type { Board, Clock } from '../../actors/runtime/index.ts';
import type { OverloadLimits } from '../terms/config/config.ts';

/** Published by each node while it receives turns. The value says nothing: its arrival does. */
const TOPIC = 'live-traffic';
/** A node publishes this many times within the time that one live request counts. */
const NOTICES = 4;

/**
 * Whether some node of the cluster received a turn of a live client in the last `liveMs`. All nodes know, because a turn
 * also waits for the owners of its key and its account, and nodes of one host share its processors.
 */
export class LiveTraffic {
  readonly #clock: Clock;
  readonly #liveMs: number;
  #seenAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #tell: () => void = nothing;

  constructor(clock: Clock, { liveMs }: Pick<OverloadLimits, 'liveMs'>) {
    this.#clock = clock;
    this.#liveMs = liveMs;
  }

  /** Publishes under the name of this node, and listens to the others. */
  shareOver(board: Pick<Board, 'publish' | 'onChange'>, node: string): void {
    this.#tell = () => board.publish(TOPIC, node, null);
    board.onChange(TOPIC, () => {
      this.#seenAt = this.#clock.monotonic();
    });
  }

  /** A live request arrived on this node. */
  note(): void {
    const now = this.#clock.monotonic();
    this.#seenAt = now;
    if (now - this.#toldAt < this.#liveMs / NOTICES) return;
    this.#toldAt = now;
    this.#tell();
  }

  get isPresent(): boolean {
    return this.#clock.monotonic() - this.#seenAt < this.#liveMs;
  }
}

function nothing(): void {}
