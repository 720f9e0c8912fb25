/** When the log is checkpointed, by which thread, and when it restarts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checkpointAfterCommit,
  SHARED_LOG,
  SOLE_WRITER_COMMITS,
  SOLE_WRITER_LOG,
} from '../../../../../actors/runtime/stores/sqlite/checkpoint-after-commit.ts';
import { connect, type SqliteConnection } from '../../../../../actors/runtime/stores/sqlite/connect.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const PAGE_BYTES = 4_096;

interface Scene {
  readonly connection: SqliteConnection;
  readonly checkpointer: { idle: boolean; running: boolean; runs: number; run(): void };
  readonly afterCommit: (contended?: boolean) => void;
  /** Commits without contention until the writer counts as the only one. */
  commitUncontended(): void;
  /** Adds about this many pages to the log. */
  fill(pages: number): void;
  logPages(): number;
}

function withScene(run: (scene: Scene) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-log-'));
  const connection = connect(join(folder, 't.db'), 'write');
  connection.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)');
  const checkpointer = { idle: true, running: false, runs: 0, run: () => void checkpointer.runs++ };
  const put = connection.prepare('INSERT INTO t (body) VALUES (zeroblob(?))');
  const checkpoint = checkpointAfterCommit(connection, checkpointer);
  try {
    run({
      connection,
      checkpointer,
      afterCommit: (contended = true) => checkpoint(contended),
      commitUncontended: () => {
        for (let commits = 0; commits < SOLE_WRITER_COMMITS; commits++) checkpoint(false);
      },
      fill: (pages) => void put.run(pages * PAGE_BYTES),
      logPages: () => (connection.pragma('wal_checkpoint(NOOP)') as { log: number }[])[0]?.log ?? 0,
    });
  } finally {
    connection.close();
    rmSync(folder, { recursive: true });
  }
}

it('a short log is left unchanged, a longer one is passed to the checkpointer', () => {
  withScene(({ checkpointer, afterCommit, fill }) => {
    fill(SHARED_LOG.worth / 2);
    afterCommit();
    assert.is(checkpointer.runs, 0);
    fill(SHARED_LOG.worth / 2);
    afterCommit();
    assert.is(checkpointer.runs, 1);
  });
});

it('while the checkpointer runs the writer requests no other checkpoint; then the log restarts', () => {
  withScene(({ connection, checkpointer, afterCommit, fill, logPages }) => {
    fill(SHARED_LOG.worth);
    checkpointer.idle = false;
    checkpointer.running = true;
    afterCommit();
    assert.is(checkpointer.runs, 0);
    assert.ok(logPages() >= SHARED_LOG.worth);
    connection.pragma('wal_checkpoint(PASSIVE)');
    Object.assign(checkpointer, { idle: true, running: false });
    fill(10);
    afterCommit();
    assert.is(checkpointer.runs, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('a writer without contention lets the log grow further, until there is contention', () => {
  withScene(({ checkpointer, afterCommit, commitUncontended, fill, logPages }) => {
    fill(SHARED_LOG.worth);
    commitUncontended();
    const runs = checkpointer.runs;
    assert.ok(runs > 0, 'not the only writer yet');
    fill(SHARED_LOG.worth);
    commitUncontended();
    assert.is(checkpointer.runs, runs);
    fill(SOLE_WRITER_LOG.worth);
    commitUncontended();
    assert.ok(checkpointer.runs > runs, 'too long for the only writer as well');
    afterCommit(true);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('the only writer also waits for its checkpointer from a bound on, and checkpoints the rest itself', () => {
  withScene(({ checkpointer, commitUncontended, fill, logPages }) => {
    commitUncontended();
    fill(SOLE_WRITER_LOG.most);
    commitUncontended();
    assert.is(checkpointer.runs, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('a log at its bound is checkpointed at once, whatever its length', () => {
  withScene(({ checkpointer, afterCommit, fill, logPages }) => {
    fill(SHARED_LOG.most);
    afterCommit();
    assert.is(checkpointer.runs, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('after a disk error in the checkpointer the log never restarts, because it is the only complete copy', () => {
  withScene(({ checkpointer, afterCommit, fill, logPages }) => {
    checkpointer.idle = false;
    fill(SHARED_LOG.most);
    afterCommit();
    fill(1);
    assert.ok(logPages() > SHARED_LOG.most);
    assert.is(checkpointer.runs, 0);
  });
});

test.run();
