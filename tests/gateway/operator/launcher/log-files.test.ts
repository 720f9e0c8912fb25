import { closeSync, mkdtempSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog, trimLogs } from '../../../../gateway/operator/launcher/log-files.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('a log beyond its bound is copied and truncated while its writer continues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-logs-'));
  const file = join(folder, 'n1.log');
  const log = openLog(file);
  assert.type(log, 'number');
  writeSync(log as number, 'first\n');
  await trimLogs(folder, 6);
  assert.is(readFileSync(file, 'utf8'), 'first\n');
  writeSync(log as number, 'second\n');
  await trimLogs(folder, 6);
  writeSync(log as number, 'third\n');
  closeSync(log as number);
  assert.is(readFileSync(`${file}.1`, 'utf8'), 'first\nsecond\n');
  assert.is(readFileSync(file, 'utf8'), 'third\n');
  assert.is(statSync(file).mode & 0o777, 0o600);
  rmSync(folder, { recursive: true });
});

it('a missing folder or file is ignored', async () => {
  await trimLogs('/nowhere/at/all');
  assert.is(openLog('/nowhere/at/all/n1.log'), 'ignore');
});

test.run();
