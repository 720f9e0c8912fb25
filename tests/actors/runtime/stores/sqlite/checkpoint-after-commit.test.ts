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
  readonly mover: { idle: boolean; moving: boolean; moves: number; move(): void };
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
  const mover = { idle: true, moving: false, moves: 0, move: () => void mover.moves++ };
  const put = connection.prepare('INSERT INTO t (body) VALUES (zeroblob(?))');
  const checkpoint = checkpointAfterCommit(connection, mover);
  try {
    run({
      connection,
      mover,
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

it('a short log is left alone, a longer one is given to the mover', () => {
  withScene(({ mover, afterCommit, fill }) => {
    fill(SHARED_LOG.worth / 2);
    afterCommit();
    assert.is(mover.moves, 0);
    fill(SHARED_LOG.worth / 2);
    afterCommit();
    assert.is(mover.moves, 1);
  });
});

it('while the mover moves the writer asks no more; once it is done the log starts anew', () => {
  withScene(({ connection, mover, afterCommit, fill, logPages }) => {
    fill(SHARED_LOG.worth);
    mover.idle = false;
    mover.moving = true;
    afterCommit();
    assert.is(mover.moves, 0);
    assert.ok(logPages() >= SHARED_LOG.worth);
    connection.pragma('wal_checkpoint(PASSIVE)');
    Object.assign(mover, { idle: true, moving: false });
    fill(10);
    afterCommit();
    assert.is(mover.moves, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('whoever met nobody at the lock for long lets the log grow further, until somebody comes', () => {
  withScene(({ mover, afterCommit, beAlone, fill, logPages }) => {
    fill(SHARED_LOG.worth);
    beAlone();
    const moves = mover.moves;
    assert.ok(moves > 0, 'not alone yet');
    fill(SHARED_LOG.worth);
    beAlone();
    assert.is(mover.moves, moves);
    fill(SOLE_WRITER_LOG.worth);
    beAlone();
    assert.ok(mover.moves > moves, 'too long for one alone as well');
    afterCommit(true);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('a lone writer too waits for its mover from a bound on, and moves the rest itself', () => {
  withScene(({ mover, beAlone, fill, logPages }) => {
    beAlone();
    fill(SOLE_WRITER_LOG.most);
    beAlone();
    assert.is(mover.moves, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('a log at its bound is moved at once, whatever is left of it', () => {
  withScene(({ mover, afterCommit, fill, logPages }) => {
    fill(SHARED_LOG.most);
    afterCommit();
    assert.is(mover.moves, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('after an error of the disk under the mover the log never starts anew: it is what there is', () => {
  withScene(({ mover, afterCommit, fill, logPages }) => {
    mover.idle = false;
    fill(SHARED_LOG.most);
    afterCommit();
    fill(1);
    assert.ok(logPages() > SHARED_LOG.most);
    assert.is(mover.moves, 0);
  });
});

test.run();
