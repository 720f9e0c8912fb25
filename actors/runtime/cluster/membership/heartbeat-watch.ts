import type { NodeLimits } from '../../ports/limits.ts';
import type { NodeRow } from '../../ports/store.ts';
import { Attention } from './attention.ts';
import { liveSet, type Watched } from './verdict.ts';

/**
 * One answer counts for at most this many heartbeats of observation: the observer's own pause is not the others'
 * silence.
 */
const ATTENTION_BEATS_MAX = 2;
/** A node beats if its row changed within this many heartbeats. */
const BEATING_BEATS = 2;

interface Memory {
  readonly beat: number;
  readonly changedAt: number;
  readonly outsideMs: number;
  readonly joining: boolean;
}

/**
 * One node's observations of the others' heartbeat rows. Time is measured as attention: it passes only while this node
 * has contact with the store, so that neither its own pause nor a store outage makes other nodes stale. Time outside
 * the live set counts only while the node beats; a stalled node is judged by the age of its row instead. It counts anew
 * from the moment when a node has joined.
 */
export class HeartbeatWatch {
  readonly #limits: NodeLimits;
  readonly #attention: Attention;
  #observedAt = 0;
  #memory = new Map<string, Memory>();

  constructor(limits: NodeLimits) {
    this.#limits = limits;
    this.#attention = new Attention(limits.heartbeatMs * ATTENTION_BEATS_MAX);
  }

  /** Observes one fresh answer of the store, received at `answeredAt` (monotonic ms); rows of living nodes only. */
  observe(
    rows: readonly NodeRow[],
    answeredAt: number,
  ): { readonly watched: readonly Watched[]; readonly live: ReadonlySet<string> } {
    const now = this.#attention.advance(answeredAt);
    const passed = now - this.#observedAt;
    this.#observedAt = now;
    const changedAt = (row: NodeRow): number => {
      const known = this.#memory.get(row.incarnation);
      return known && known.beat === row.beat ? known.changedAt : now;
    };
    const isFresh = (row: NodeRow): boolean => now - changedAt(row) <= this.#limits.staleMs;
    const live = liveSet(rows.map((row) => ({ ...row, fresh: isFresh(row), joining: isJoining(row) })));
    const memory = new Map<string, Memory>();
    for (const row of rows) {
      const { incarnation, beat } = row;
      const joining = isJoining(row);
      const known = this.#memory.get(incarnation);
      const beats = now - changedAt(row) < this.#limits.heartbeatMs * BEATING_BEATS;
      const more = beats ? passed : 0;
      const isCounted = !live.has(incarnation) && known?.joining === joining;
      const outsideMs = isCounted ? known.outsideMs + more : 0;
      memory.set(incarnation, { beat, changedAt: changedAt(row), outsideMs, joining });
    }
    this.#memory = memory;
    const watched = rows.map(({ incarnation, birth, reaches }) => {
      const { changedAt, outsideMs, joining } = memory.get(incarnation) as Memory;
      return { incarnation, birth, reaches, unchangedMs: now - changedAt, outsideMs, joining };
    });
    return { watched, live };
  }
}

function isJoining({ state }: NodeRow): boolean {
  return state === 'joining';
}
