import type { Clock } from '../ports/clock.ts';
import type { NodeRow } from '../ports/store.ts';
import type { Handoff } from './handoff.ts';
import { isAlive, type Member } from './member.ts';
import type { Ownership } from './ownership.ts';
import type { Signal } from './signal.ts';

const DRAIN_MS = 15_000;
const LEAVE_MS = 30_000;
const ROUND_MS = 50;

export interface DrainParts {
  readonly self: string;
  readonly member: Member;
  readonly ownership: Ownership;
  readonly handoff: Handoff;
  readonly clock: Clock;
  readonly broadcast: (signal: Signal) => void;
}

/**
 * The planned way out, in two halves: first every shard goes to nodes that stay, while this node still asks for its
 * open work; then, if shards are left because all are leaving, it serves them until its peers' open work has ended too.
 * Bounded in time, and cut short when the store is out of reach.
 */
export class Drain {
  readonly #parts: DrainParts;
  readonly #leavers = new Set<string>();
  #over = false;

  constructor(parts: DrainParts) {
    this.#parts = parts;
  }

  /** True once this node's own open work has ended. */
  get leaving(): boolean {
    return this.#leavers.has(this.#parts.self);
  }

  /** A peer's open work has ended. */
  leaves(incarnation: string): void {
    this.#leavers.add(incarnation);
  }

  forget(incarnation: string): void {
    this.#leavers.delete(incarnation);
  }

  /** Resolves when no shard is left here, or nobody stays to take them. */
  async drain(): Promise<void> {
    const { member, ownership, broadcast } = this.#parts;
    await member.drain();
    broadcast({ type: 'draining' });
    await this.#until(
      DRAIN_MS,
      () => ownership.held().length === 0 || !this.#peers().some((row) => row.state === 'up'),
    );
  }

  /** Resolves when no shard is left here, or no peer needs those that are. */
  async finish(): Promise<void> {
    const { self, ownership, broadcast } = this.#parts;
    this.#leavers.add(self);
    broadcast({ type: 'leaving' });
    await this.#until(LEAVE_MS, () => ownership.held().length === 0 || this.#isNeededByNobody());
  }

  stop(): void {
    this.#over = true;
  }

  /** Hands over what it can, again and again, until the condition holds or the time is up. */
  async #until(withinMs: number, holds: () => boolean): Promise<void> {
    const { clock, handoff, member } = this.#parts;
    const end = clock.monotonic() + withinMs;
    while (!this.#over && member.connected && clock.monotonic() < end) {
      await handoff.balance();
      if (holds()) return;
      await new Promise<void>((resolve) => clock.after(ROUND_MS, resolve));
    }
  }

  /** A peer that stays takes over what is left behind; one that drains needs it until its own work has ended. */
  #isNeededByNobody(): boolean {
    return this.#peers().every((row) => row.state === 'up' || this.#leavers.has(row.incarnation));
  }

  #peers(): readonly NodeRow[] {
    const { member, self } = this.#parts;
    return member.census.nodes.filter((row) => isAlive(row) && row.incarnation !== self);
  }
}
