import type { Engine } from '../../durable/engine.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeLimits } from '../../ports/limits.ts';
import { type Log, textOf } from '../../ports/log.ts';
import type { NodeRow, ShardRow, Store } from '../../ports/store.ts';
import type { Member } from '../membership/member.ts';
import type { Resumptions } from './resumptions.ts';
import type { ShardMap } from './shard-map.ts';
import { preferred } from './shard-map.ts';

/** After this many heartbeats any node may take an ownerless shard: views of the live set may differ for a while. */
const ORPHAN_BEATS = 2;

interface OwnershipParts {
  readonly self: string;
  readonly engine: Engine;
  readonly map: ShardMap;
  readonly member: Member;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: NodeLimits;
  readonly log: Log;
  readonly resumptions: Pick<Resumptions, 'took'>;
  /** This node took shards: notify the peers. */
  readonly took: (rows: readonly ShardRow[]) => void;
  /** A shard is served here from now on: parked messages for it may be routed. */
  readonly adopted: (shard: number) => void;
}

/**
 * Reconciles the engine with the shard rows: adopts the shards that the store assigns to this node, drops the others,
 * and claims ownerless shards that prefer this node under a higher epoch. A shard whose memory was lost is never served
 * again under its old epoch. Decisions depend on the store's rows alone and repeat until engine and rows agree.
 */
export class Ownership {
  readonly #parts: OwnershipParts;
  /** Ours by the rows, but a commit of unknown outcome may still be in flight: served again only under a new epoch. */
  readonly #needsNewEpoch = new Set<number>();
  /** Shards to be served only by a row that is read from now on; each with the number of the request for it. */
  readonly #toReread = new Map<number, number>();
  #rereads = 0;
  /** Shards in a hand-over: only the hand-over adopts or drops them. */
  readonly #moving = new Set<number>();
  readonly #ownerlessSince = new Map<number, number>();
  #revision = -1;
  #reread = true;
  #running = false;
  #again = false;
  #stopped = false;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  /** Shards served here. */
  held(): readonly number[] {
    const { map, engine } = this.#parts;
    return range(map.count).filter(
      (shard) => engine.epochOf(shard) !== null || this.#moving.has(shard) || this.#toReread.has(shard),
    );
  }

  /** True if every shard has an owner that is not known to be dead or to have left. */
  get complete(): boolean {
    return this.unowned === 0;
  }

  get unowned(): number {
    const { map, member } = this.#parts;
    return range(map.count).filter((shard) => {
      const owner = map.ownerOf(shard);
      return owner === null || member.isGone(owner);
    }).length;
  }

  /** The engine discarded the shard's memory. */
  lost(shard: number, reason: 'fence' | 'version' | 'unknown'): void {
    this.#parts.log({ level: 'warn', message: 'shard lost', shard, reason });
    this.#needsNewEpoch.add(shard);
    this.#reread = true;
    this.reconcile();
  }

  /** Marks a shard as in a hand-over; call with false when the hand-over has ended, with any outcome. */
  markMoving(shard: number, moving: boolean): void {
    if (moving) {
      this.#moving.add(shard);
      return;
    }
    this.#moving.delete(shard);
    this.reconcile();
  }

  /**
   * A hand-over did not end as intended, so another node may own the shard. A read in flight may still show the old
   * row: only reads that start from now on count for this shard.
   */
  rereadBeforeServing(shard: number): void {
    this.#rereads += 1;
    this.#toReread.set(shard, this.#rereads);
    this.#reread = true;
    this.reconcile();
  }

  /** Reconciles again; concurrent calls share one run. */
  reconcile(): void {
    this.#again = true;
    if (this.#running || this.#stopped) return;
    this.#running = true;
    void this.#run().finally(() => {
      this.#running = false;
      // Run again if a call arrived after the loop ended.
      if (this.#again) this.reconcile();
    });
  }

  /** This node is dead or has left: serves nothing from now on. */
  dropAll(): void {
    this.#stopped = true;
    const { map, engine } = this.#parts;
    for (const shard of range(map.count)) if (engine.epochOf(shard) !== null) engine.drop(shard);
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        await this.#read();
        if (this.#stopped) return;
        this.#align();
        await this.#claim();
      } catch (error) {
        // Retried with the next answered heartbeat: without the store there is nothing to decide.
        this.#reread = true;
        this.#again = false;
        this.#parts.log({ level: 'warn', message: 'shards not reconciled', why: textOf(error) });
      }
    }
  }

  async #read(): Promise<void> {
    const { store, map, member } = this.#parts;
    const revision = member.view.shardsRevision;
    if (!this.#reread && revision === this.#revision) return;
    this.#reread = false;
    const requested = new Map(this.#toReread);
    for (const row of await store.shards()) map.learn(row);
    for (const [shard, request] of requested) {
      if (this.#toReread.get(shard) === request) this.#toReread.delete(shard);
    }
    this.#revision = revision;
  }

  /** Reconciles the engine with the known rows, without a store call. */
  #align(): void {
    const { map, engine, self } = this.#parts;
    for (let shard = 0; shard < map.count; shard++) {
      if (this.#moving.has(shard) || this.#toReread.has(shard)) continue;
      const epoch = map.epochOf(shard);
      const served = engine.epochOf(shard);
      if (map.ownerOf(shard) !== self) {
        this.#needsNewEpoch.delete(shard);
        if (served !== null && epoch > served) engine.drop(shard);
      } else if (!this.#needsNewEpoch.has(shard) && served !== epoch) {
        if (served !== null) engine.drop(shard);
        this.#adopt({ shard, owner: self, epoch });
      }
    }
  }

  async #claim(): Promise<void> {
    const { store, self, map } = this.#parts;
    const wanted = this.#wanted();
    if (wanted.length === 0) return;
    const taken = await store.claim(self, wanted);
    const owners = new Map(wanted.map(({ shard, owner }) => [shard, owner]));
    if (taken.length < wanted.length) this.#reread = true;
    for (const row of taken) {
      this.#needsNewEpoch.delete(row.shard);
      map.learn(row);
      if (!this.#stopped && map.epochOf(row.shard) === row.epoch) this.#adopt(row);
    }
    if (taken.length > 0) {
      this.#parts.log({ level: 'info', message: 'shards taken', count: taken.length });
      this.#parts.resumptions.took(taken.map((row) => ({ ...row, from: owners.get(row.shard) ?? null })));
      this.#parts.took(taken);
    }
  }

  #adopt({ shard, epoch }: ShardRow): void {
    this.#parts.engine.adopt(shard, epoch);
    this.#parts.adopted(shard);
  }

  #wanted(): readonly ShardRow[] {
    const { map, member, self } = this.#parts;
    if (!member.fresh) return [];
    const mine = range(map.count).filter((shard) => this.#needsNewEpoch.has(shard) && map.ownerOf(shard) === self);
    const own = member.alive(self);
    const candidates = this.#candidates();
    if (!member.settled || !own || !candidates.includes(own)) return mine.map((shard) => map.row(shard));
    return [...mine, ...this.#ownerless().filter((shard) => this.#isOurs(shard, candidates, own))].map((shard) =>
      map.row(shard),
    );
  }

  /** The nodes that may take shards: live and not draining. */
  #candidates(): readonly NodeRow[] {
    const { nodes, live } = this.#parts.member.view;
    return nodes.filter((row) => row.state === 'up' && live.has(row.incarnation));
  }

  #isOurs(shard: number, candidates: readonly NodeRow[], own: NodeRow): boolean {
    const since = this.#ownerlessSince.get(shard) ?? 0;
    const orphanMs = this.#parts.limits.heartbeatMs * ORPHAN_BEATS;
    return preferred(shard, candidates) === own || this.#parts.clock.monotonic() - since > orphanMs;
  }

  #ownerless(): readonly number[] {
    const { map, member, clock } = this.#parts;
    const now = clock.monotonic();
    const shards = range(map.count).filter((shard) => {
      const owner = map.ownerOf(shard);
      return map.epochOf(shard) >= 0 && (owner === null || member.isGone(owner));
    });
    const known = new Map(this.#ownerlessSince);
    this.#ownerlessSince.clear();
    for (const shard of shards) this.#ownerlessSince.set(shard, known.get(shard) ?? now);
    return shards;
  }
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
