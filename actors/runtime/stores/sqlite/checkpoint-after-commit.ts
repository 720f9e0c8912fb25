/**
 * Keeps the log (WAL) short, between commits and never before an answer: the mover's thread copies the bulk of it into
 * the database while everybody goes on committing; what is left then moves under the lock, and the log starts anew.
 * SQLite's own automatic checkpoint does the same inside COMMIT, but never catches up with three saturated writers: the
 * log grew to 350 MB in four seconds, and one of the three got a hundredth of the turns.
 */

import type { Checkpointer } from './checkpointer.ts';
import type { SqliteConnection } from './connect.ts';
import { isBusy } from './failure.ts';
import { pause } from './pause.ts';

/** When a log is worth moving, and from where on the writer waits for its mover and then moves all that is left; pages. */
interface LogBounds {
  readonly worth: number;
  readonly most: number;
}

/**
 * Beside other writers: 2 MiB, at most 8. Measured with three processes that commit 32 actors at a time, p99.9 of a
 * commit, and the durable asks/s between two nodes: moved by the writer itself at 4,096 pages 33-42 ms and 33,700, at
 * 1,024 17-25 ms, at 512 16-19 ms and 27,600; by the mover at 2,048 41-109 ms and 35,000, at 1,024 22-26 ms and 33,000,
 * at 512 14-26 ms and 31,700. A limit that follows the time of the last move settled at 300 pages and 21-29 ms.
 */
export const SHARED_LOG: LogBounds = { worth: 512, most: 2_048 };
/**
 * Alone: 8 MiB, at most 16. The last page of each index is in the log once per commit and moves once per log: moving and
 * starting anew took 7 us of a chat completion at 512 pages and take 3 here. No longer, so that whoever comes then meets
 * a log that is as long as his own may become.
 */
export const SOLE_WRITER_LOG: LogBounds = { worth: SHARED_LOG.most, most: 2 * SHARED_LOG.most };
/** So many commits in a row that met nobody at the lock: no other process writes much just now. */
export const SOLE_WRITER_COMMITS = 64;
/** So few pages are moved under the lock. */
const REST_PAGES_MAX = 256;
/** Tries for the lock per commit; between them others may write. */
const RESTARTS_MAX = 8;
/** Between two looks at the lock, or at the mover. */
const PAUSE_MS = 0.1;
/** Longest wait of one commit for the mover, in pauses: a second. */
const WAITS_MAX = 10_000;

interface LogState {
  /** 1 when somebody else held a lock that was needed. */
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/** Returns what to call after each commit, with whether that had to wait for the lock; it looks at the log, in 2 us. */
export function checkpointAfterCommit(
  connection: SqliteConnection,
  mover: Pick<Checkpointer, 'idle' | 'moving' | 'move'>,
): (metOthers: boolean) => void {
  connection.pragma('wal_autocheckpoint = 0');
  const look = connection.prepare<[], LogState>('PRAGMA wal_checkpoint(NOOP)');
  const restart = connection.prepare<[], LogState>('PRAGMA wal_checkpoint(RESTART)');

  let alone = 0;

  function attempt(): void {
    const { worth, most } = alone < SOLE_WRITER_COMMITS ? SHARED_LOG : SOLE_WRITER_LOG;
    const { log = 0, checkpointed = 0 } = look.get() ?? {};
    if (log < worth) return;
    if (log >= most) waitForMover();
    if (!mover.idle) return;
    if (log - checkpointed > REST_PAGES_MAX && log < most) mover.move();
    else startAnew();
  }

  function waitForMover(): void {
    for (let waits = 0; waits < WAITS_MAX && mover.moving; waits++) pause(PAUSE_MS);
  }

  function startAnew(): void {
    for (let tries = 0; tries < RESTARTS_MAX; tries++) {
      if (restart.get()?.busy === 0) return;
      pause(PAUSE_MS);
    }
  }

  return (metOthers) => {
    alone = metOthers ? 0 : alone + 1;
    try {
      attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  };
}
