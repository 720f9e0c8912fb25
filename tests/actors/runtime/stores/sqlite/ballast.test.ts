/** The ballast over its life: laid, dropped, laid again, and known to everybody who shares it. */
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Ballast } from '../../../../../actors/runtime/stores/sqlite/ballast.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test, 20_000);
const BYTES = 300_000;

async function within(folder: (path: string) => Promise<void>): Promise<void> {
  const made = mkdtempSync(join(tmpdir(), 'troupe-ballast-'));
  try {
    await folder(join(made, 't.db.ballast'));
  } finally {
    rmSync(made, { recursive: true });
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

it('is dropped at once, is missed by every node that shares it, and comes back when there is room', () =>
  within(async (path) => {
    const told: string[] = [];
    const lay = (name: string): Promise<Ballast> =>
      Ballast.create({ path, bytes: BYTES, clock: systemClock, changed: (full) => told.push(`${name} ${full}`) });
    const [one, other] = await Promise.all([lay('one'), lay('other')]);
    await until(() => existsSync(path));
    assert.is(statSync(path).size, BYTES);
    assert.equal(told, [], 'two that start together call nothing full');
    one.drop();
    assert.ok(one.full);
    assert.not(existsSync(path));
    await until(() => other.full);
    await until(() => !one.full && !other.full);
    assert.is(statSync(path).size, BYTES);
    assert.equal(told.slice().sort(), ['one false', 'one true', 'other false', 'other true']);
    one.close();
    other.close();
  }));

it('calls nothing full while another node is still laying it, however long that takes', () =>
  within(async (path) => {
    const told: boolean[] = [];
    writeFileSync(`${path}.new`, Buffer.alloc(BYTES));
    const ballast = await Ballast.create({
      path,
      bytes: BYTES,
      clock: systemClock,
      changed: (full) => told.push(full),
    });
    await new Promise((resolve) => setTimeout(resolve, 700));
    renameSync(`${path}.new`, path);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(told, []);
    ballast.drop();
    assert.equal(told, [true]);
    ballast.close();
  }));

it('counts a disk without room as full, leaves nothing half laid, and goes on looking', () =>
  within(async (path) => {
    // A folder of that name: whatever is tried, nothing can be laid.
    const nowhere = join(path, 'missing', 't.ballast');
    const ballast = await Ballast.create({ path: nowhere, bytes: BYTES, clock: systemClock, changed: () => {} });
    assert.ok(ballast.full);
    assert.not(existsSync(nowhere));
    ballast.close();
  }));

it('replaces a smaller one, and takes a larger one as it is', () =>
  within(async (path) => {
    writeFileSync(path, 'too small');
    const ballast = await Ballast.create({ path, bytes: BYTES, clock: systemClock, changed: () => {} });
    assert.is(statSync(path).size, BYTES);
    assert.not(ballast.full);
    ballast.close();
    const less = await Ballast.create({ path, bytes: 1_000, clock: systemClock, changed: () => {} });
    assert.is(statSync(path).size, BYTES);
    assert.not(less.full);
    less.close();
  }));

test.run();
