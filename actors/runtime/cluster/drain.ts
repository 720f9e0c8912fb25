import type { RunningActivities } from '../durable/engine.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodeRow } from '../ports/store.ts';
import { isAlive, type Member } from './membership/member.ts';
import type { NodeParts } from './node-parts.ts';
import type { Handoff } from './shards/handoff.ts';
import type { Ownership } from './shards/ownership.ts';
import type { Signal } from './signal.ts';

const DRAIN_MS = 15_000;
/** Beside the longest grace of the peers' activities. */
const LEAVE_MS = 30_000;
const ROUND_MS = 50;

interface DrainParts {
  readonly self: string;
  readonly member: Member;
  readonly ownership: Ownership;
  readonly handoff: Handoff;
  readonly clock: Clock;
  readonly broadcast: (signal: Signal) => void;
  readonly running: RunningActivities;
  readonly node: Pick<NodeParts, 'activities' | 'activityGraceMs' | 'onWaiting'>;
}

/**
 * A node's planned exit, in two phases. First it hands every shard to nodes that stay, while its own open work
 * continues. Then, if shards are left because all nodes are leaving, it serves them until the peers' open work has
 * ended too. Both phases are bounded in time and end early if the store is unreachable.
 */
export class Drain {
  readonly #parts: DrainParts;
  readonly #leavers = new Set<string>();
  #over = false;
  /** Monotonic ms; null before the drain. */
  #since: number | null = null;

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

  /** Resolves when no shard is left here, or no node stays to take them. */
  async drain(): Promise<void> {
    const { member, ownership, broadcast, clock, running } = this.#parts;
    this.#since ??= clock.monotonic();
    running.pause();
    if (this.#over) return;
    await member.drain();
    broadcast({ type: 'draining' });
    await this.#until(
      DRAIN_MS,
      () => ownership.held().length === 0 || !this.#peers().some((row) => row.state !== 'draining'),
    );
  }

  /** Resolves when the activities that run here have ended and reported, or their graces are over. */
  async finishActivities(): Promise<void> {
    const { clock, running, node } = this.#parts;
    const { activityGraceMs: graceMs, onWaiting: waits = () => {} } = node;
    if (!this.#over) await running.finish({ since: this.#since ?? clock.monotonic(), graceMs, waits });
    running.abortAll('its node leaves');
  }

  /** Resolves when no shard is left here, or no peer needs those that are left. */
  async finish(): Promise<void> {
    const { self, ownership, broadcast, node } = this.#parts;
    const graces = Object.values(node.activities ?? {}).map(({ patience }) => patience?.graceMs ?? 0);
    this.#leavers.add(self);
    broadcast({ type: 'leaving' });
    await this.#until(LEAVE_MS + Math.max(0, ...graces), () => ownership.held().length === 0 || this.#isNotNeeded());
  }

  stop(): void {
    this.#over = true;
  }

  /** Repeats the hand-over until the condition holds or the time is up. */
  async #until(withinMs: number, holds: () => boolean): Promise<void> {
    const { clock, handoff, member } = this.#parts;
    const end = clock.monotonic() + withinMs;
    while (!this.#over && !member.isolated && clock.monotonic() < end) {
      await handoff.balance();
      if (holds()) return;
      await new Promise<void>((resolve) => clock.after(ROUND_MS, resolve));
    }
  }

  /** A peer that stays takes over the remaining shards; a draining peer needs them until its own work has ended. */
  #isNotNeeded(): boolean {
    return this.#peers().every((row) => row.state !== 'draining' || this.#leavers.has(row.incarnation));
  }

  #peers(): readonly NodeRow[] {
    const { member, self } = this.#parts;
    return member.view.nodes.filter((row) => isAlive(row) && row.incarnation !== self);
  }
}
