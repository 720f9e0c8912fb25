/**
 * Judges the actors of one shard's part of a commit by their versions, and writes them. Runs inside the caller's
 * transaction.
 */
import { ownerOf } from '../../actor/address.ts';
import type { ActorRecord, ActorWrite, ShardWrite } from '../../ports/store.ts';
import { stateOf } from '../state-of.ts';
import type { SqliteConnection } from './connect.ts';
import { actorSql, timerSql } from './statements.ts';

interface StoredActor {
  readonly n: number;
  readonly version: number;
  readonly state: string;
  readonly chart: number;
  readonly since: number;
}

type Counted = Pick<ActorRecord, 'kind' | 'chart'> & { readonly state: string };

/** Prepares the statements once. */
export function actorWriter(connection: SqliteConnection) {
  const judgeActor = connection.prepare<[string], StoredActor>(actorSql.judge);
  const insertActor = connection.prepare(actorSql.insert);
  const updateIfSame = connection.prepare(actorSql.updateIfSame);
  const updateActor = connection.prepare(actorSql.update);
  const updateActorWithState = connection.prepare(actorSql.updateWithState);
  const removeActor = connection.prepare<[string], Counted>(actorSql.remove);
  const count = connection.prepare(actorSql.count);
  const cancelTimers = connection.prepare(timerSql.cancelAll);

  /** The stored actors of `write.actors`, in order; null when a version differs from the expected one. */
  function judge(write: ShardWrite): (StoredActor | undefined)[] | null {
    const stored: (StoredActor | undefined)[] = [];
    for (const { record, expected } of write.actors) {
      const actor = judgeActor.get(record.address);
      if ((actor?.version ?? 0) !== expected) return null;
      stored.push(actor);
    }
    for (const { address, expected } of write.stopped) {
      if ((judgeActor.get(address)?.version ?? 0) !== expected) return null;
    }
    return stored;
  }

  function add({ kind, state, chart }: Counted, by: 1 | -1): void {
    count.run(kind, state, chart, by);
  }

  function writeActor(a: ActorRecord, state: string, stored: StoredActor | undefined, at: number): void {
    const { kind, version, chart, snapshot, transitions } = a;
    if (!stored) {
      const owner = ownerOf(a.address);
      insertActor.run(a.address, kind, a.hash, a.shard, version, chart, owner, state, at, snapshot, transitions);
      add({ kind, state, chart }, 1);
    } else if (stored.state === state && stored.chart === chart) {
      updateActor.run(version, snapshot, transitions, stored.n);
    } else {
      const since = stored.state === state ? stored.since : at;
      updateActorWithState.run(version, chart, snapshot, transitions, state, since, stored.n);
      add({ kind, state: stored.state, chart: stored.chart }, -1);
      add({ kind, state, chart }, 1);
    }
  }

  /** Writes the actor if its stored version is the expected one. `at` is the store time. */
  function replace({ record: a, expected }: ActorWrite, at: number): boolean {
    const state = stateOf(a.snapshot);
    const same = updateIfSame.run(a.version, a.snapshot, a.transitions, a.address, expected, state, a.chart);
    if (same.changes === 1) return true;
    const stored = judgeActor.get(a.address);
    if ((stored?.version ?? 0) !== expected) return false;
    writeActor(a, state, stored, at);
    return true;
  }

  function writeJudged(write: ShardWrite, stored: readonly (StoredActor | undefined)[], at: number): void {
    for (const { address } of write.stopped) {
      const removed = removeActor.get(address);
      if (removed !== undefined) add(removed, -1);
      cancelTimers.run(address);
    }
    write.actors.forEach(({ record }, i) => {
      // An actor that was stopped and created again in one commit has no stored row any more.
      const gone = write.stopped.length > 0 && write.stopped.some(({ address }) => address === record.address);
      writeActor(record, stateOf(record.snapshot), gone ? undefined : stored[i], at);
    });
  }

  return { judge, replace, writeJudged };
}
