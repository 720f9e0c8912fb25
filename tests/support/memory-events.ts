/** The cluster events of the memory store, by the rules of the Store port. */
import {
  CLUSTER_EVENTS_MAX,
  type ClusterEvent,
  EVENTS_LOOKED_AT,
  type NodeRow,
  ONE_MOVE_MS,
  type Store,
} from '../../actors/runtime/ports/store.ts';

type Named = Pick<NodeRow, 'name' | 'incarnation'>;

export class MemoryEvents {
  #events: (ClusterEvent & { readonly beganAt: number })[] = [];
  #last = 0;
  readonly #endedAt = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Lets the next event have this number. */
  next(n: number): void {
    this.#last = n - 1;
  }

  note(type: ClusterEvent['type'], { name, incarnation }: Named, more: Partial<ClusterEvent>): void {
    const at = this.#now();
    const none = { shards: null, from: null, fromIncarnation: null, tookMs: null, why: null };
    this.#last += 1;
    this.#events.push({ n: this.#last, at, beganAt: at, type, node: name, incarnation, ...none, ...more });
    this.#events = this.#events.filter(({ n }) => n > this.#last - CLUSTER_EVENTS_MAX);
  }

  ended(state: 'dead' | 'left', node: Named, why: string): void {
    this.#endedAt.set(node.incarnation, this.#now());
    this.note(state === 'dead' ? 'died' : 'left', node, state === 'dead' ? { why } : {});
  }

  noteMove(
    type: 'claimed' | 'handed_over',
    { to, from, shards }: { readonly to: Named; readonly from: Named | null; readonly shards: number },
  ): void {
    const at = this.#now();
    const fromIncarnation = from?.incarnation ?? null;
    const endedAt = from === null ? undefined : this.#endedAt.get(from.incarnation);
    const tookMs = type === 'claimed' && endedAt !== undefined ? at - endedAt : null;
    const known = this.#events.findLastIndex(
      (one) =>
        one.type === type &&
        one.incarnation === to.incarnation &&
        one.fromIncarnation === fromIncarnation &&
        one.beganAt >= at - ONE_MOVE_MS &&
        one.n > this.#last - EVENTS_LOOKED_AT,
    );
    const event = this.#events[known];
    if (event === undefined) this.note(type, to, { shards, from: from?.name ?? null, fromIncarnation, tookMs });
    else this.#events[known] = { ...event, at, tookMs, shards: (event.shards ?? 0) + shards };
  }

  list({ after = Number.MAX_SAFE_INTEGER, limit }: Parameters<Store['clusterEvents']>[0]): ClusterEvent[] {
    const older = this.#events.filter(({ n }) => n < after).map(({ beganAt: _, ...event }) => event);
    return older.reverse().slice(0, limit);
  }
}
