/**
 * The writer's hot path: judges each shard's part of a commit against what is stored, then writes the parts that hold.
 * Runs inside a transaction that its caller opened; never waits, never ends the transaction.
 */
import type { RowRecord, ShardWrite } from '../../ports/store.ts';
import { stateOf } from '../state-of.ts';
import type { Connection } from './connect.ts';
import { actorSql } from './statements/actors.ts';
import { rowSql } from './statements/rows.ts';
import { shardSql } from './statements/shards.ts';
import { timerSql } from './statements/timers.ts';

export const COMMITTED = 0;
export const FENCE = 1;
export const VERSION = 2;
/** One shard's verdict as it travels back from the writer's thread. */
export type VerdictCode = typeof COMMITTED | typeof FENCE | typeof VERSION;

interface StoredActor {
  readonly n: number;
  readonly version: number;
  readonly state: string;
  readonly chart: number;
}

type Text = string | null;
/** n, sort, the four index columns, open, expires_at. */
type StoredRow = [number, number, Text, Text, Text, Text, number, number | null];

/** Prepares the statements once; the returned function gives one verdict per shard part, in order. */
export function commitApplier(connection: Connection): (writes: readonly ShardWrite[]) => VerdictCode[] {
  const fence = connection.prepare<[number], { owner: string | null; epoch: number }>(shardSql.fence);
  const judgeActor = connection.prepare<[string], StoredActor>(actorSql.judge);
  const insertActor = connection.prepare(actorSql.insert);
  const updateActor = connection.prepare(actorSql.update);
  const updateActorWithState = connection.prepare(actorSql.updateWithState);
  const removeActor = connection.prepare(actorSql.remove);
  const putRow = rowPutter(connection);
  const removeRow = connection.prepare(rowSql.remove);
  const setTimer = connection.prepare(timerSql.set);
  const cancelTimer = connection.prepare(timerSql.cancel);
  const cancelTimers = connection.prepare(timerSql.cancelAll);

  /** The stored actors behind `write.actors`, in order, or why the part is refused. */
  function judge(write: ShardWrite): (StoredActor | undefined)[] | typeof FENCE | typeof VERSION {
    const holder = fence.get(write.shard);
    if (holder?.owner !== write.owner || holder.epoch !== write.epoch) return FENCE;
    const stored: (StoredActor | undefined)[] = [];
    for (const { record, expected } of write.actors) {
      const actor = judgeActor.get(record.address);
      if ((actor?.version ?? 0) !== expected) return VERSION;
      stored.push(actor);
    }
    for (const { address, expected } of write.stopped) {
      if ((judgeActor.get(address)?.version ?? 0) !== expected) return VERSION;
    }
    return stored;
  }

  function writeActor(a: ShardWrite['actors'][number]['record'], stored: StoredActor | undefined): void {
    const state = stateOf(a.snapshot);
    if (!stored) {
      insertActor.run(a.address, a.kind, a.hash, a.shard, a.version, a.chart, state, a.snapshot, a.trail);
    } else if (stored.state === state && stored.chart === a.chart) {
      updateActor.run(a.version, a.snapshot, a.trail, stored.n);
    } else {
      updateActorWithState.run(a.version, a.chart, a.snapshot, a.trail, state, stored.n);
    }
  }

  function apply(write: ShardWrite, stored: readonly (StoredActor | undefined)[]): void {
    for (const { address } of write.stopped) {
      removeActor.run(address);
      cancelTimers.run(address);
    }
    write.actors.forEach(({ record }, i) => {
      // An actor that stopped and was made again within one commit has lost its stored row just now.
      const gone = write.stopped.length > 0 && write.stopped.some(({ address }) => address === record.address);
      writeActor(record, gone ? undefined : stored[i]);
    });
    for (const { collection, id, address } of write.rowsRemoved) removeRow.run(collection, id, address);
    for (const row of write.rowsPut) putRow(row);
    for (const { address, name } of write.timersCancelled) cancelTimer.run(address, name);
    for (const { address, name, dueAt, event } of write.timersSet) {
      setTimer.run(address, name, write.shard, dueAt, event);
    }
  }

  return (writes) =>
    writes.map((write) => {
      const judged = judge(write);
      if (typeof judged === 'number') return judged;
      apply(write, judged);
      return COMMITTED;
    });
}

/**
 * Writes one row and touches no index whose columns stayed as they were. Most puts are new rows, so the insert comes
 * first and the search for an old one only when it was refused.
 */
function rowPutter(connection: Connection): (row: RowRecord) => void {
  const insert = connection.prepare(rowSql.insertIfAbsent);
  const find = connection.prepare<[string, string, string], StoredRow>(rowSql.find).raw();
  const updateBody = connection.prepare(rowSql.updateBody);
  const updateOpen = connection.prepare(rowSql.updateOpen);
  const updateExpiry = connection.prepare(rowSql.updateExpiry);
  const updateAll = connection.prepare(rowSql.updateAll);
  return ({ address, collection, id, sort, index, open, expiresAt, body }) => {
    const [i0 = null, i1 = null, i2 = null, i3 = null] = index;
    const isOpen = open ? 1 : 0;
    if (insert.run(address, collection, id, sort, i0, i1, i2, i3, isOpen, expiresAt, body).changes === 1) return;
    const [n, oldSort, old0, old1, old2, old3, oldOpen, oldExpiresAt] = find.get(collection, id, address) as StoredRow;
    const placed = oldSort === sort && old0 === i0 && old1 === i1 && old2 === i2 && old3 === i3;
    if (!placed) updateAll.run(body, isOpen, expiresAt, sort, i0, i1, i2, i3, n);
    else if (oldExpiresAt !== expiresAt) updateExpiry.run(body, isOpen, expiresAt, n);
    else if (oldOpen !== isOpen) updateOpen.run(body, isOpen, n);
    else updateBody.run(body, n);
  };
}
