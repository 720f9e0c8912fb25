import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnfitDatabase } from '../../../../../actors/runtime/stores/migration.ts';
import { connect, type SqliteConnection } from '../../../../../actors/runtime/stores/sqlite/connect.ts';
import { transactions } from '../../../../../actors/runtime/stores/sqlite/lock.ts';
import { migrate, migrations } from '../../../../../actors/runtime/stores/sqlite/migrate.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const FIRST = '-- compatible: one\nCREATE TABLE one (n INTEGER);';
const SECOND = '-- breaking: two\nCREATE TABLE two (n INTEGER); INSERT INTO one VALUES (2);';

async function withConnection(
  run: (connection: SqliteConnection, apply: (steps: string[]) => void) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-migrate-'));
  const connection = connect(join(folder, 't.db'), 'write');
  const wait = { clock: systemClock, random: systemRandom, boundMs: 100, waited: () => {} };
  const transact = transactions(connection, wait);
  try {
    run(connection, (steps) => migrate(connection, transact, 'the-file', steps));
  } finally {
    connection.close();
    rmSync(folder, { recursive: true });
  }
}

it('every migration of this build declares whether it is breaking or compatible', () => {
  for (const sql of migrations) assert.match(sql.split('\n')[0] ?? '', /^-- (breaking|compatible): \S/);
});

it('steps are applied once, in order, and only the missing ones', () =>
  withConnection((connection, apply) => {
    apply([FIRST]);
    apply([FIRST]);
    apply([FIRST, SECOND]);
    apply([FIRST, SECOND]);
    assert.equal(connection.prepare('SELECT n FROM one').all(), [{ n: 2 }]);
    assert.equal(connection.prepare('SELECT number, effect FROM migrations').all(), [
      { number: 1, effect: 'compatible' },
      { number: 2, effect: 'breaking' },
    ]);
  }));

it('a build without a breaking step refuses, one without a compatible step continues', () =>
  withConnection((_, apply) => {
    apply([FIRST, SECOND]);
    assert.throws(
      () => apply([FIRST]),
      (error: unknown) => error instanceof UnfitDatabase,
    );
    assert.throws(() => apply([FIRST]), /the-file .*step 2, this version has 1/);
  }));

it('a failing step leaves no change', () =>
  withConnection((connection, apply) => {
    const broken = '-- compatible: broken\nCREATE TABLE half (n INTEGER); INSERT INTO missing VALUES (1);';
    assert.throws(() => apply([FIRST, broken]), /missing/);
    assert.equal(connection.prepare("SELECT name FROM sqlite_master WHERE name = 'half'").all(), []);
    assert.equal(connection.prepare('SELECT number FROM migrations').all(), [{ number: 1 }]);
  }));

it("a step without a declared effect is a programmer's error", () =>
  withConnection((_, apply) => {
    assert.throws(() => apply(['CREATE TABLE x (n INTEGER)']), /breaking/);
  }));

test.run();
