/** Opening a store: failures have a one-line message with the file and the remedy. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../../../../actors/runtime/stores/sqlite/connect.ts';
import { openSqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { SHARDS } from '../../../../contracts/store/records.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const open = (path: string, shards = SHARDS) =>
  openSqliteStore({ path, shards, clock: systemClock, random: systemRandom, busyBoundMs: 500 });

async function inFolder(run: (folder: string, path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-open-'));
  try {
    await run(folder, join(folder, 't.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function refusal(path: string, shards?: number): Promise<string> {
  const message = await open(path, shards).then(
    async (store) => {
      await store.close();
      return 'opened';
    },
    (error: Error) => error.message,
  );
  assert.not.match(message, /\n/);
  return message;
}

async function make(path: string): Promise<void> {
  await (await open(path)).close();
}

it('a missing folder is created, and a second start finds the data of the first', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a', 'b', 't.db');
    const first = await open(path);
    await first.setting('name', 'kept');
    await first.close();
    const second = await open(path);
    assert.is(await second.setting('name', 'other'), 'kept');
    await second.close();
  }));

it('a path that is not writable is refused by name, with a remedy', () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'file'), '');
    const path = join(folder, 'file', 't.db');
    const message = await refusal(path);
    assert.match(message, path);
    assert.match(message, /cannot write .*choose another data folder/);
    mkdirSync(join(folder, 'taken.db'));
    assert.match(await refusal(join(folder, 'taken.db')), /taken\.db/);
  }));

it('a file that is not a database is refused by name and stays unchanged (rule N21)', () =>
  inFolder(async (_, path) => {
    writeFileSync(path, 'these are not the pages of a database\n'.repeat(200));
    const before = readFileSync(path);
    const message = await refusal(path);
    assert.match(message, path);
    assert.match(message, /damaged .*restore a copy/);
    assert.equal(readFileSync(path), before);
  }));

it('a damaged page is detected at the start, before any request', () =>
  inFolder(async (_, path) => {
    await make(path);
    const bytes = readFileSync(path);
    assert.ok(bytes.length > 8 * 4096);
    bytes.fill(0xa5, 4 * 4096, 5 * 4096);
    writeFileSync(path, bytes);
    const message = await refusal(path);
    assert.match(message, path);
    assert.match(message, /damaged/);
  }));

it('a breaking change of a newer build is refused, a compatible one opens', () =>
  inFolder(async (_, path) => {
    await make(path);
    const connection = connect(path, 'write');
    connection.exec("INSERT INTO migrations (number, effect) VALUES (900, 'compatible')");
    await make(path);
    connection.exec("INSERT INTO migrations (number, effect) VALUES (901, 'breaking')");
    connection.close();
    const message = await refusal(path);
    assert.match(message, path);
    assert.match(message, /newer version \(step 901/);
  }));

it("a shard count other than the database's is refused", () =>
  inFolder(async (_, path) => {
    await make(path);
    assert.match(await refusal(path, SHARDS * 2), new RegExp(`created with ${SHARDS} shards.*says ${SHARDS * 2}`));
  }));

it('a database that stays locked is refused after the bound', () =>
  inFolder(async (_, path) => {
    await make(path);
    const holder = connect(path, 'write');
    holder.exec('BEGIN IMMEDIATE');
    const message = await refusal(path);
    holder.close();
    assert.match(message, /stays locked/);
  }));

it('a file above the size limit of the check opens without it', () =>
  inFolder(async (_, path) => {
    await make(path);
    assert.ok(statSync(path).size > 1);
    const store = await openSqliteStore({
      ...{ path, shards: SHARDS, clock: systemClock, random: systemRandom, busyBoundMs: 500, checkBytesMax: 1 },
    });
    assert.is((await store.shards()).length, SHARDS);
    await store.close();
  }));

test.run();
