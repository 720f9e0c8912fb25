/** The thread that checkpoints the log beside the writer. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Checkpointer } from '../../../../../actors/runtime/stores/sqlite/checkpointer.ts';
import { connect } from '../../../../../actors/runtime/stores/sqlite/connect.ts';
import type { StoreFailure } from '../../../../../actors/runtime/stores/sqlite/failure.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);

async function inFolder(run: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-checkpointer-'));
  try {
    await run(join(folder, 't.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function settled(checkpointer: Checkpointer): Promise<void> {
  while (checkpointer.running) await new Promise((resolve) => setTimeout(resolve, 1));
}

it('checkpoints the log while a transaction is open, and is idle again', () =>
  inFolder(async (path) => {
    const failures: StoreFailure[] = [];
    const connection = connect(path, 'write');
    connection.pragma('wal_autocheckpoint = 0');
    connection.exec('CREATE TABLE t (body BLOB); INSERT INTO t VALUES (zeroblob(400000))');
    connection.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (zeroblob(10))');
    const checkpointer = new Checkpointer(path, (failure) => failures.push(failure));
    checkpointer.run();
    assert.not(checkpointer.idle);
    await settled(checkpointer);
    assert.ok(checkpointer.idle);
    connection.exec('COMMIT');
    const [state] = connection.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[];
    assert.ok((state?.checkpointed ?? 0) >= 90, JSON.stringify(state));
    await checkpointer.close();
    assert.equal(connection.prepare('SELECT count(*) AS n FROM t').get(), { n: 2 });
    connection.close();
    assert.equal(failures, []);
  }));

it('a damaged file is reported once and no checkpoint follows', () =>
  inFolder(async (path) => {
    const failures: StoreFailure[] = [];
    writeFileSync(path, 'no database at all, and long enough to be looked at as one '.repeat(100));
    const checkpointer = new Checkpointer(path, (failure) => failures.push(failure));
    checkpointer.run();
    await settled(checkpointer);
    while (failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.not(checkpointer.idle);
    checkpointer.run();
    assert.not(checkpointer.running);
    await checkpointer.close();
    assert.is(failures.length, 1);
    assert.is(failures[0]?.kind, 'fatal');
  }));

it('closing waits for the running checkpoint; a checkpointer without requests has no thread to end', () =>
  inFolder(async (path) => {
    const connection = connect(path, 'write');
    connection.exec('CREATE TABLE t (body BLOB); INSERT INTO t VALUES (zeroblob(400000))');
    const unused = new Checkpointer(path, () => {});
    await unused.close();
    const checkpointer = new Checkpointer(path, () => {});
    checkpointer.run();
    await checkpointer.close();
    assert.ok(checkpointer.idle);
    connection.close();
  }));

test.run();
