/**
 * Nodes, shards and settings over a connection of their own, so that a heartbeat never waits behind a commit. Store
 * time is the server's clock, so all nodes read the same clock.
 */
import type pg from 'pg';
import { DEATH_PREFIX, ENDED_NODES_MAX, type NodeRow, type ShardRow, type Store } from '../../ports/store.ts';
import type { CallKind, ConnectionLane } from './connection-lane.ts';
import { membershipSql } from './statements.ts';

type Membership = Pick<
  Store,
  'register' | 'heartbeat' | 'markDead' | 'leave' | 'shards' | 'claim' | 'give' | 'setting'
>;

export function membership(lane: ConnectionLane): Membership {
  function ask<Row extends pg.QueryResultRow>(
    { name, text }: { readonly name: string; readonly text: string },
    callKind: CallKind,
    ...values: readonly unknown[]
  ): Promise<pg.QueryResult<Row>> {
    return lane.call<Row>({ name, text, values }, callKind);
  }

  return {
    async register({ incarnation, name, address, operatorUrl, pid, host }) {
      const values = [incarnation, name, address, operatorUrl, pid, host, ENDED_NODES_MAX, DEATH_PREFIX];
      return first(await ask<{ birth: number }>(membershipSql.register, 'change', ...values));
    },
    /** Repeated when the connection breaks: writing a beat twice is harmless. */
    async heartbeat({ incarnation, reaches, state }) {
      const values = [incarnation, JSON.stringify(reaches), state, ENDED_NODES_MAX];
      const answer = await ask<{ now: number; revision: number; nodes: readonly NodeRow[] }>(
        membershipSql.heartbeat,
        'read',
        ...values,
      );
      const { now, revision, nodes } = first(answer);
      return { now, nodes, shardsRevision: revision };
    },
    async markDead(incarnation, seenBeat, why, suspectedAt) {
      const values = [incarnation, seenBeat, why, suspectedAt ?? null];
      return first(await ask<{ marked: boolean }>(membershipSql.markDead, 'change', ...values)).marked;
    },
    async leave(incarnation) {
      await ask(membershipSql.leave, 'change', incarnation);
    },
    async shards() {
      return (await ask<ShardRow & pg.QueryResultRow>(membershipSql.shards, 'read')).rows;
    },
    async claim(owner, from) {
      const columns = [from.map((row) => row.shard), from.map((row) => row.owner), from.map((row) => row.epoch)];
      return (await ask<ShardRow & pg.QueryResultRow>(membershipSql.claim, 'change', owner, ...columns)).rows;
    },
    async give({ shard, owner, epoch }, to) {
      const answer = await ask<{ epoch: number | null }>(membershipSql.give, 'change', shard, owner, epoch, to);
      const { epoch: given } = first(answer);
      return given === null ? null : { shard, owner: to, epoch: given };
    },
    async setting(name, valueIfAbsent) {
      return first(await ask<{ value: string }>(membershipSql.setting, 'read', name, valueIfAbsent)).value;
    },
  };
}

function first<Row extends pg.QueryResultRow>({ rows }: pg.QueryResult<Row>): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the server returned no row');
  return row;
}
