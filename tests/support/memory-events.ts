/** The cluster events of the memory store, by the rules of the Store port. */
import {
  CLUSTER_EVENTS_MAX,
  type ClusterEvent,
  EVENTS_LOOKED_AT,
  type NodeRow,
  ONE_MOVE_MS,
  type ShardMove,
  type Store,
} from '../../actors/runtime/ports/store.ts';

type Named = Pick<NodeRow, 'name' | 'incarnation'>;

export class MemoryEvents {
  #events: ClusterEvent[] = [];
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
    const moved = { moves: null, from: null, fromIncarnation: null, tookMs: null };
    const none = { ...moved, why: null, lastBeatAt: null, suspectedAt: null };
    this.#last += 1;
    this.#events.push({ n: this.#last, at, beganAt: at, type, node: name, incarnation, ...none, ...more });
    this.#events = this.#events.filter(({ n }) => n > this.#last - CLUSTER_EVENTS_MAX);
  }

  left(node: Named): void {
    this.#endedAt.set(node.incarnation, this.#now());
    this.note('left', node, {});
  }

  died(node: Pick<NodeRow, 'name' | 'incarnation' | 'beatAt'>, why: string, suspectedAt: number | null): void {
    this.#endedAt.set(node.incarnation, this.#now());
    this.note('died', node, { why, lastBeatAt: node.beatAt, suspectedAt });
  }

  noteMove(
    type: 'claimed' | 'handed_over',
    { to, from, moves }: { readonly to: Named; readonly from: Named | null; readonly moves: readonly ShardMove[] },
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
    if (event === undefined) this.note(type, to, { moves, from: from?.name ?? null, fromIncarnation, tookMs });
    else this.#events[known] = { ...event, at, tookMs, moves: [...(event.moves ?? []), ...moves] };
  }

  list({ after = Number.MAX_SAFE_INTEGER, limit }: Parameters<Store['clusterEvents']>[0]): ClusterEvent[] {
    const older = this.#events.filter(({ n }) => n < after);
    return older.reverse().slice(0, limit);
  }
}
