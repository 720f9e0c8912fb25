import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder } from '../../../../actors/runtime/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-folder-'));
test.after(() => rmSync(folder, { recursive: true }));

test('a folder and the missing ones above it are created for their owner only, and may exist already', () => {
  const path = join(folder, 'a', 'b', 'c');
  makeFolder(path);
  makeFolder(path);
  for (const name of ['a', 'a/b', 'a/b/c']) assert.is(statSync(join(folder, name)).mode & 0o777, 0o700);
});

test('a folder that cannot be created throws the reason', () => {
  writeFileSync(join(folder, 'file'), '');
  assert.throws(() => makeFolder(join(folder, 'file')), /EEXIST/);
  assert.throws(() => makeFolder(join(folder, 'file', 'a', 'b')), /ENOTDIR/);
  if (process.platform === 'linux') assert.throws(() => makeFolder('/proc/foo/bar'), /ENOENT.*'\/proc\/foo'/);
});

test.run();
