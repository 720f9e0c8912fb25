/**
 * Judges the actors of one shard's part of a commit by their versions, and writes them. Runs inside the caller's
 * transaction.
 */
import type { ActorRecord, ActorWrite, ShardWrite } from '../../ports/store.ts';
import { stateOf } from '../state-of.ts';
import type { SqliteConnection } from './connect.ts';
import { actorSql, timerSql } from './statements.ts';

interface StoredActor {
  readonly n: number;
  readonly version: number;
  readonly state: string;
  readonly chart: number;
}

/** Prepares the statements once. */
export function actorWriter(connection: SqliteConnection) {
  const judgeActor = connection.prepare<[string], StoredActor>(actorSql.judge);
  const insertActor = connection.prepare(actorSql.insert);
  const updateIfSame = connection.prepare(actorSql.updateIfSame);
  const updateActor = connection.prepare(actorSql.update);
  const updateActorWithState = connection.prepare(actorSql.updateWithState);
  const removeActor = connection.prepare(actorSql.remove);
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

  function writeActor(a: ActorRecord, state: string, stored: StoredActor | undefined): void {
    if (!stored) {
      insertActor.run(a.address, a.kind, a.hash, a.shard, a.version, a.chart, state, a.snapshot, a.transitions);
    } else if (stored.state === state && stored.chart === a.chart) {
      updateActor.run(a.version, a.snapshot, a.transitions, stored.n);
    } else {
      updateActorWithState.run(a.version, a.chart, a.snapshot, a.transitions, state, stored.n);
    }
  }

  /** Writes the actor if its stored version is the expected one. */
  function replace({ record: a, expected }: ActorWrite): boolean {
    const state = stateOf(a.snapshot);
    const same = updateIfSame.run(a.version, a.snapshot, a.transitions, a.address, expected, state, a.chart);
    if (same.changes === 1) return true;
    const stored = judgeActor.get(a.address);
    if ((stored?.version ?? 0) !== expected) return false;
    writeActor(a, state, stored);
    return true;
  }

  function writeJudged(write: ShardWrite, stored: readonly (StoredActor | undefined)[]): void {
    for (const { address } of write.stopped) {
      removeActor.run(address);
      cancelTimers.run(address);
    }
    write.actors.forEach(({ record }, i) => {
      // An actor that was stopped and created again in one commit has no stored row any more.
      const gone = write.stopped.length > 0 && write.stopped.some(({ address }) => address === record.address);
      writeActor(record, stateOf(record.snapshot), gone ? undefined : stored[i]);
    });
  }

  return { judge, replace, writeJudged };
}
