/** The life of the ballast: created, dropped, created again, and seen by every node that shares it. */
import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Ballast } from '../../../../../actors/runtime/stores/sqlite/ballast.ts';
import { systemClock } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
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

it('is dropped at once, is missed by every node that shares it, and is recreated when there is room', () =>
  within(async (path) => {
    const reports: string[] = [];
    const lay = (name: string): Promise<Ballast> =>
      Ballast.create({ path, bytes: BYTES, clock: systemClock, changed: (full) => reports.push(`${name} ${full}`) });
    const [one, other] = await Promise.all([lay('one'), lay('other')]);
    await until(() => existsSync(path));
    assert.is(statSync(path).size, BYTES);
    assert.equal(reports, [], 'two that start together report no full disk');
    one.drop();
    assert.ok(one.full);
    assert.not(existsSync(path));
    await until(() => other.full);
    await until(() => !one.full && !other.full);
    assert.is(statSync(path).size, BYTES);
    assert.equal(reports.slice().sort(), ['one false', 'one true', 'other false', 'other true']);
    one.close();
    other.close();
  }));

it('dropped by one node long after its creation, it is missed by the others at once, and they do not take its space', () =>
  within(async (path) => {
    const polls: (() => void)[] = [];
    const times = { now: 0 };
    const after = (_: number, run: () => void): (() => void) => {
      polls.push(run);
      return () => {};
    };
    const clock = { ...systemClock, monotonic: () => times.now, after };
    const [one, other] = await Promise.all(
      [1, 2].map(() => Ballast.create({ path, bytes: BYTES, clock, changed() {} })),
    );
    const poll = async (): Promise<void> => {
      const due = polls.splice(0);
      for (const run of due) run();
      await until(() => polls.length === due.length);
    };
    await poll();
    times.now += 60_000;
    one?.drop();
    await poll();
    assert.equal([one?.full, other?.full, existsSync(path)], [true, true, false]);
    times.now += 60_000;
    await poll();
    await poll();
    assert.equal(
      [one?.full, other?.full, existsSync(path)],
      [false, false, true],
      'created again once its time has come',
    );
  }));

it('reports no full disk while another node is creating it, for any duration', () =>
  within(async (path) => {
    const reports: boolean[] = [];
    writeFileSync(`${path}.new`, Buffer.alloc(BYTES));
    const ballast = await Ballast.create({
      path,
      bytes: BYTES,
      clock: systemClock,
      changed: (full) => reports.push(full),
    });
    await new Promise((resolve) => setTimeout(resolve, 700));
    renameSync(`${path}.new`, path);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(reports, []);
    ballast.drop();
    assert.equal(reports, [true]);
    ballast.close();
  }));

it('counts a disk without room as full, leaves no partial file, and keeps polling', () =>
  within(async (path) => {
    // A folder with that name prevents every attempt to create the file.
    const nowhere = join(path, 'missing', 't.ballast');
    const ballast = await Ballast.create({ path: nowhere, bytes: BYTES, clock: systemClock, changed: () => {} });
    assert.ok(ballast.full);
    assert.not(existsSync(nowhere));
    ballast.close();
  }));

it('replaces a smaller one and keeps a larger one', () =>
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
