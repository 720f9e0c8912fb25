/**
 * Keeps the log (WAL) short, between commits and never before an answer. The checkpointer's thread copies most of the
 * log into the database while all processes go on committing; the rest is then copied under the lock, and the log
 * restarts. SQLite's automatic checkpoint does the same inside COMMIT but does not keep up with three saturated
 * writers: the log grew to 350 MB in four seconds, and one of the three got a hundredth of the turns.
 */

import type { Checkpointer } from './checkpointer.ts';
import type { SqliteConnection } from './connect.ts';
import { isBusy } from './failure.ts';
import { pause } from './lock.ts';

/**
 * `worth`: log length that triggers a checkpoint; `most`: length at which the writer waits for the checkpointer and
 * then copies everything left. Both in pages.
 */
interface LogBounds {
  readonly worth: number;
  readonly most: number;
}

/**
 * With other writers: 2 MiB, at most 8. Measured with three processes that commit 32 actors at a time, p99.9 of a
 * commit, and durable asks/s between two nodes. Copied by the writer itself: at 4,096 pages 33-42 ms and 33,700, at
 * 1,024 17-25 ms, at 512 16-19 ms and 27,600. Copied by the checkpointer: at 2,048 41-109 ms and 35,000, at 1,024 22-26
 * ms and 33,000, at 512 14-26 ms and 31,700. A limit that follows the duration of the last checkpoint settled at 300
 * pages and 21-29 ms.
 */
export const SHARED_LOG: LogBounds = { worth: 512, most: 2_048 };
/**
 * As the only writer: 8 MiB, at most 16. The last page of each index is in the log once per commit and is copied once
 * per log: copying and restarting took 7 us of a chat completion at 512 pages and take 3 us here. Not longer, so that a
 * writer that joins finds a log within its own bounds.
 */
export const SOLE_WRITER_LOG: LogBounds = { worth: SHARED_LOG.most, most: 2 * SHARED_LOG.most };
/** After this many commits in a row without a wait for the lock, no other process is writing much. */
export const SOLE_WRITER_COMMITS = 64;
/** At most this many pages are copied under the lock. */
const REST_PAGES_MAX = 256;
/** Attempts to get the lock per commit; other processes can write between them. */
const RESTARTS_MAX = 8;
/** Pause between two attempts to get the lock, and between two checks of the checkpointer. */
const PAUSE_MS = 0.1;
/** Longest wait of one commit for the checkpointer, in pauses: one second. */
const WAITS_MAX = 10_000;

interface LogState {
  /** 1 when another process held a required lock. */
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Returns a function to call after each commit, with whether that commit waited for the lock. Checking the log takes 2
 * us.
 */
export function checkpointAfterCommit(
  connection: SqliteConnection,
  checkpointer: Pick<Checkpointer, 'idle' | 'running' | 'run'>,
): (contended: boolean) => void {
  connection.pragma('wal_autocheckpoint = 0');
  const look = connection.prepare<[], LogState>('PRAGMA wal_checkpoint(NOOP)');
  const restart = connection.prepare<[], LogState>('PRAGMA wal_checkpoint(RESTART)');

  let commitsAlone = 0;

  function attempt(): void {
    const { worth, most } = commitsAlone < SOLE_WRITER_COMMITS ? SHARED_LOG : SOLE_WRITER_LOG;
    const { log = 0, checkpointed = 0 } = look.get() ?? {};
    if (log < worth) return;
    if (log >= most) waitForCheckpointer();
    if (!checkpointer.idle) return;
    if (log - checkpointed > REST_PAGES_MAX && log < most) checkpointer.run();
    else restartLog();
  }

  function waitForCheckpointer(): void {
    for (let waits = 0; waits < WAITS_MAX && checkpointer.running; waits++) pause(PAUSE_MS);
  }

  function restartLog(): void {
    for (let tries = 0; tries < RESTARTS_MAX; tries++) {
      if (restart.get()?.busy === 0) return;
      pause(PAUSE_MS);
    }
  }

  return (contended) => {
    commitsAlone = contended ? 0 : commitsAlone + 1;
    try {
      attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  };
}
