/** Reads and writes `cluster_events`. Writing runs inside the transaction that makes the change. */
import {
  CLUSTER_EVENTS_MAX,
  type ClusterEvent,
  EVENTS_LOOKED_AT,
  type NodeRow,
  ONE_MOVE_MS,
  type ShardMove,
  type Store,
} from '../../ports/store.ts';
import { checkedLimit } from '../actor-list.ts';
import type { SqliteConnection } from './connect.ts';
import { eventSql } from './statements.ts';

type Named = Pick<NodeRow, 'name' | 'incarnation'>;

interface Move {
  readonly to: Named;
  readonly from: Named | null;
  /** At least one. */
  readonly moves: readonly ShardMove[];
  readonly at: number;
  readonly tookMs: number | null;
}

interface Death {
  readonly why: string;
  readonly lastBeatAt: number | null;
  readonly suspectedAt: number | null;
}

const ALIVE: Record<keyof Death, null> = { why: null, lastBeatAt: null, suspectedAt: null };

export function eventWriter(connection: SqliteConnection) {
  const insert = connection.prepare<unknown[], { n: number }>(eventSql.insert);
  const grow = connection.prepare(eventSql.grow);
  const forget = connection.prepare(eventSql.forget);

  function add(at: number, ...members: readonly (string | number | null)[]): void {
    const { n } = insert.get(at, at, ...members) as { n: number };
    forget.run(n - CLUSTER_EVENTS_MAX);
  }

  return {
    node(type: 'joined' | 'left' | 'died', { name, incarnation }: Named, at: number, death: Death | null = null): void {
      const { why, lastBeatAt, suspectedAt } = death ?? ALIVE;
      add(at, type, name, incarnation, null, null, null, null, why, lastBeatAt, suspectedAt);
    },

    /** Adds to the event of the same move, if that began a short time ago. */
    move(type: 'claimed' | 'handed_over', { to, from, moves, at, tookMs }: Move): void {
      const had = from?.incarnation ?? null;
      const began = at - ONE_MOVE_MS;
      const text = JSON.stringify(moves);
      if (grow.run(at, text, tookMs, EVENTS_LOOKED_AT, type, to.incarnation, had, began).changes === 1) return;
      add(at, type, to.name, to.incarnation, text, from?.name ?? null, had, tookMs, null, null, null);
    },
  };
}

interface StoredEvent extends Pick<ClusterEvent, 'n' | 'at' | 'type' | 'node' | 'incarnation' | 'why'> {
  readonly began_at: number;
  readonly moves: string | null;
  readonly from_node: string | null;
  readonly from_incarnation: string | null;
  readonly took_ms: number | null;
  readonly last_beat_at: number | null;
  readonly suspected_at: number | null;
}

export function eventLister(connection: SqliteConnection) {
  const list = connection.prepare<[number, number], StoredEvent>(eventSql.list);
  return ({ after = Number.MAX_SAFE_INTEGER, limit }: Parameters<Store['clusterEvents']>[0]): ClusterEvent[] =>
    list.all(after, checkedLimit(limit)).map(eventOf);
}

function eventOf(stored: StoredEvent): ClusterEvent {
  const { began_at, moves, from_node, from_incarnation, took_ms, last_beat_at, suspected_at, ...event } = stored;
  return {
    ...event,
    beganAt: began_at,
    moves: moves === null ? null : (JSON.parse(moves) as ShardMove[]),
    from: from_node,
    fromIncarnation: from_incarnation,
    tookMs: took_ms,
    lastBeatAt: last_beat_at,
    suspectedAt: suspected_at,
  };
}
