/** When the log is moved, by whom, and when it starts anew. */
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

const it = bounded(test, 20_000);
const PAGE_BYTES = 4_096;

interface Scene {
  readonly connection: SqliteConnection;
  readonly checkpointer: { idle: boolean; running: boolean; runs: number; run(): void };
  readonly afterCommit: (metOthers?: boolean) => void;
  /** Commits so often that met nobody that the writer counts as alone. */
  beAlone(): void;
  /** Adds about so many pages to the log. */
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
      afterCommit: (metOthers = true) => checkpoint(metOthers),
      beAlone: () => {
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

it('a short log is left alone, a longer one is given to the checkpointer', () => {
  withScene(({ checkpointer, afterCommit, fill }) => {
    fill(SHARED_LOG.worth / 2);
    afterCommit();
    assert.is(checkpointer.runs, 0);
    fill(SHARED_LOG.worth / 2);
    afterCommit();
    assert.is(checkpointer.runs, 1);
  });
});

it('while the checkpointer runs the writer asks no more; once it is done the log starts anew', () => {
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

it('whoever met nobody at the lock for long lets the log grow further, until somebody comes', () => {
  withScene(({ checkpointer, afterCommit, beAlone, fill, logPages }) => {
    fill(SHARED_LOG.worth);
    beAlone();
    const runs = checkpointer.runs;
    assert.ok(runs > 0, 'not alone yet');
    fill(SHARED_LOG.worth);
    beAlone();
    assert.is(checkpointer.runs, runs);
    fill(SOLE_WRITER_LOG.worth);
    beAlone();
    assert.ok(checkpointer.runs > runs, 'too long for one alone as well');
    afterCommit(true);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('a lone writer too waits for its checkpointer from a bound on, and runs the rest itself', () => {
  withScene(({ checkpointer, beAlone, fill, logPages }) => {
    beAlone();
    fill(SOLE_WRITER_LOG.most);
    beAlone();
    assert.is(checkpointer.runs, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('a log at its bound is moved at once, whatever is left of it', () => {
  withScene(({ checkpointer, afterCommit, fill, logPages }) => {
    fill(SHARED_LOG.most);
    afterCommit();
    assert.is(checkpointer.runs, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('after an error of the disk under the checkpointer the log never starts anew: it is what there is', () => {
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
