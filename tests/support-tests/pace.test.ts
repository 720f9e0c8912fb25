import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { eventually } from '../support/eventually.ts';
import { limit, pace, paced } from '../support/pace.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-pace-test-'));
const file = join(folder, 'pace');
const { TROUPE_PACE_FILE: runner } = process.env;
const now = performance.now.bind(performance);
/** What this file's clock is ahead. */
let aheadMs = 0;

test.before(() => {
  process.env.TROUPE_PACE_FILE = file;
  performance.now = () => now() + aheadMs;
});
test.after(() => {
  performance.now = now;
  if (runner === undefined) delete process.env.TROUPE_PACE_FILE;
  else process.env.TROUPE_PACE_FILE = runner;
  rmSync(folder, { recursive: true });
});

/** The runner measured this; the file is read again after some seconds. */
function measured(value: number): void {
  writeFileSync(file, String(value));
  aheadMs += 10_000;
}

test('a limit is a multiple of the pace that the runner measured last, and follows it while it runs', () => {
  measured(3);
  assert.is(pace(), 3);
  assert.is(paced(1_000), 3_000);
  const leftMs = limit(60_000);
  assert.ok(leftMs() > 59_000 && leftMs() <= 60_000);
  aheadMs += 70_000;
  assert.ok(leftMs() > 100_000 && leftMs() <= 110_000, 'at pace 3 it lasts for three minutes');
  measured(1);
  assert.is(leftMs(), 0, 'the machine is quick again, and the wait has taken more than its minute');
});

test('a test that hangs ends at its limit, with its title and the pace', async () => {
  measured(2);
  const registered: (() => Promise<void> | void)[] = [];
  bounded((_, run) => registered.push(run), 20)('hangs', () => new Promise(() => {}));
  const began = now();
  const failure = await Promise.resolve(registered[0]?.()).catch((error: Error) => error.message);
  assert.is(failure, '"hangs" took longer than 20 ms at pace 2.0');
  assert.ok(now() - began >= 39, 'twice the limit');
});

test('a condition that never holds fails with its own error once the limit has passed', async () => {
  measured(1);
  const failure = await eventually(async () => {
    aheadMs += 30_000;
    throw new Error('not yet');
  }).catch((error: Error) => error.message);
  assert.is(failure, 'not yet');
});

test.run();
