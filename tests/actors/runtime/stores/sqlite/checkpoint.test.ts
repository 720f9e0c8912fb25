/** When the log is moved, by whom, and when it starts anew. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkpointer, LOG_PAGES, LOG_PAGES_MAX } from '../../../../../actors/runtime/stores/sqlite/checkpoint.ts';
import { type Connection, connect } from '../../../../../actors/runtime/stores/sqlite/connect.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test, 20_000);
const PAGE_BYTES = 4_096;

interface Scene {
  readonly connection: Connection;
  readonly mover: { idle: boolean; moving: boolean; moves: number; move(): void };
  readonly afterCommit: () => void;
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
  try {
    run({
      connection,
      mover,
      afterCommit: checkpointer(connection, mover),
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
    fill(LOG_PAGES / 2);
    afterCommit();
    assert.is(mover.moves, 0);
    fill(LOG_PAGES / 2);
    afterCommit();
    assert.is(mover.moves, 1);
  });
});

it('while the mover moves the writer asks no more; once it is done the log starts anew', () => {
  withScene(({ connection, mover, afterCommit, fill, logPages }) => {
    fill(LOG_PAGES);
    mover.idle = false;
    mover.moving = true;
    afterCommit();
    assert.is(mover.moves, 0);
    assert.ok(logPages() >= LOG_PAGES);
    connection.pragma('wal_checkpoint(PASSIVE)');
    Object.assign(mover, { idle: true, moving: false });
    fill(10);
    afterCommit();
    assert.is(mover.moves, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('a log at its bound is moved at once, whatever is left of it', () => {
  withScene(({ mover, afterCommit, fill, logPages }) => {
    fill(LOG_PAGES_MAX);
    afterCommit();
    assert.is(mover.moves, 0);
    fill(1);
    assert.ok(logPages() < 20, `the log has ${logPages()} pages`);
  });
});

it('after an error of the disk under the mover the log never starts anew: it is what there is', () => {
  withScene(({ mover, afterCommit, fill, logPages }) => {
    mover.idle = false;
    fill(LOG_PAGES_MAX);
    afterCommit();
    fill(1);
    assert.ok(logPages() > LOG_PAGES_MAX);
    assert.is(mover.moves, 0);
  });
});

test.run();
