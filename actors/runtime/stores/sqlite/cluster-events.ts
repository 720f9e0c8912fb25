/** Reads and writes `cluster_events`. Writing runs inside the transaction that makes the change. */
import {
  CLUSTER_EVENTS_MAX,
  type ClusterEvent,
  EVENTS_LOOKED_AT,
  type NodeRow,
  ONE_MOVE_MS,
  type Store,
} from '../../ports/store.ts';
import { checkedLimit } from '../actor-list.ts';
import type { SqliteConnection } from './connect.ts';
import { eventSql } from './statements.ts';

type Named = Pick<NodeRow, 'name' | 'incarnation'>;

interface Move {
  readonly to: Named;
  readonly from: Named | null;
  readonly shards: number;
  readonly at: number;
  readonly tookMs: number | null;
}

export function eventWriter(connection: SqliteConnection) {
  const insert = connection.prepare<unknown[], { n: number }>(eventSql.insert);
  const grow = connection.prepare(eventSql.grow);
  const forget = connection.prepare(eventSql.forget);

  function add(at: number, ...members: readonly (string | number | null)[]): void {
    const { n } = insert.get(at, at, ...members) as { n: number };
    forget.run(n - CLUSTER_EVENTS_MAX);
  }

  return {
    node(type: 'joined' | 'left' | 'died', { name, incarnation }: Named, at: number, why: string | null = null): void {
      add(at, type, name, incarnation, null, null, null, null, why);
    },

    /** Adds to the event of the same move, if that began a short time ago. */
    move(type: 'claimed' | 'handed_over', { to, from, shards, at, tookMs }: Move): void {
      const had = from?.incarnation ?? null;
      const began = at - ONE_MOVE_MS;
      if (grow.run(at, shards, tookMs, EVENTS_LOOKED_AT, type, to.incarnation, had, began).changes === 1) return;
      add(at, type, to.name, to.incarnation, shards, from?.name ?? null, had, tookMs, null);
    },
  };
}

interface StoredEvent extends Omit<ClusterEvent, 'from' | 'fromIncarnation' | 'tookMs'> {
  readonly from_node: string | null;
  readonly from_incarnation: string | null;
  readonly took_ms: number | null;
}

export function eventLister(connection: SqliteConnection) {
  const list = connection.prepare<[number, number], StoredEvent>(eventSql.list);
  return ({ after = Number.MAX_SAFE_INTEGER, limit }: Parameters<Store['clusterEvents']>[0]): ClusterEvent[] =>
    list.all(after, checkedLimit(limit)).map(({ from_node, from_incarnation, took_ms, ...event }) => ({
      ...event,
      from: from_node,
      fromIncarnation: from_incarnation,
      tookMs: took_ms,
    }));
}
