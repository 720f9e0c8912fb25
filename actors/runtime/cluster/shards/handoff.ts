import type { Engine } from '../../durable/engine.ts';
import { type Log, textOf } from '../../ports/log.ts';
import type { NodeRow, ShardRow, Store } from '../../ports/store.ts';
import type { Member } from '../membership/member.ts';
import type { Ownership } from './ownership.ts';
import type { ShardMap } from './shard-map.ts';
import { preferred } from './shard-map.ts';

/** Shards handed over at once: each is out of service only while it is quiesced, released and adopted. */
const MOVES_AT_ONCE = 4;

interface HandoffParts {
  readonly self: string;
  readonly engine: Engine;
  readonly map: ShardMap;
  readonly member: Member;
  readonly ownership: Ownership;
  readonly store: Store;
  readonly log: Log;
  /** True for a peer that announced readiness and has both links with this node open. */
  readonly isReady: (incarnation: string) => boolean;
  /** A shard has a new owner: notify every peer, the owner first. */
  readonly gave: (row: ShardRow) => void;
}

/**
 * Planned moves: hands shards to their preferred node, a few at a time, and flushes each before its owner changes, so
 * that no call fails. It never moves a shard to a node that drains, is not ready, or is outside the live set.
 */
export class Handoff {
  readonly #parts: HandoffParts;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(parts: HandoffParts) {
    this.#parts = parts;
  }

  /** Moves every shard that another node is preferred for; resolves when none is left. Calls during a run join it. */
  balance(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(): Promise<void> {
    const failed = new Set<number>();
    let moves = this.#moves(failed);
    while (moves.length > 0 && !this.#stopped) {
      const results = await Promise.all(moves.map(({ shard, to }) => this.#move(shard, to)));
      results.forEach((moved, index) => {
        const shard = moves[index]?.shard;
        if (!moved && shard !== undefined) failed.add(shard);
      });
      moves = this.#moves(failed);
    }
  }

  /** The next few shards that another node is preferred for. */
  #moves(failed: ReadonlySet<number>): readonly { readonly shard: number; readonly to: NodeRow }[] {
    const { member, map, engine, self } = this.#parts;
    const targets = this.#targets();
    if (targets.length === 0 || !member.fresh) return [];
    const moves: { shard: number; to: NodeRow }[] = [];
    for (let shard = 0; shard < map.count && moves.length < MOVES_AT_ONCE; shard++) {
      if (map.ownerOf(shard) !== self || failed.has(shard)) continue;
      // A draining node may not adopt a lost shard again, but a move gives it a new epoch at its next owner.
      const served = engine.epochOf(shard);
      if (served !== map.epochOf(shard) && !(served === null && member.draining)) continue;
      const to = preferred(shard, targets);
      if (to !== null && to.incarnation !== self) moves.push({ shard, to });
    }
    return moves;
  }

  /** This node unless it drains, and every node that may receive shards. Empty while this node may not judge others. */
  #targets(): readonly NodeRow[] {
    const { member, self, isReady } = this.#parts;
    const { nodes, live } = member.view;
    if (!live.has(self)) return [];
    return nodes.filter(
      (row) =>
        row.state === 'up' &&
        live.has(row.incarnation) &&
        (row.incarnation === self ? !member.draining : isReady(row.incarnation)),
    );
  }

  async #move(shard: number, to: NodeRow): Promise<boolean> {
    const { engine, map, ownership, store, gave, log } = this.#parts;
    const from = map.row(shard);
    ownership.markMoving(shard, true);
    try {
      await engine.release(shard);
      if (this.#stopped || map.epochOf(shard) !== from.epoch) return false;
      const given = await store.give(from, to.incarnation);
      if (given === null) {
        ownership.rereadBeforeServing(shard);
        return false;
      }
      map.learn(given);
      gave(given);
      return true;
    } catch (error) {
      log({ level: 'warn', message: 'shard not handed over', shard, why: textOf(error) });
      ownership.rereadBeforeServing(shard);
      return false;
    } finally {
      ownership.markMoving(shard, false);
    }
  }
}
