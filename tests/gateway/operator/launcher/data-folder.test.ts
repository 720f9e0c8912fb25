import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDataFolder } from '../../../../gateway/operator/launcher/data-folder.ts';
import { processState } from '../../../../gateway/operator/launcher/process-state.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-data-'));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const failure = (path: string) =>
  openDataFolder(path).then(
    () => 'opened',
    (error: Error) => error.message,
  );

it('the folder is locked by one launcher at a time', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'a', 'b');
    const held = await openDataFolder(path);
    assert.is(
      await failure(path),
      `data folder ${path} is in use by a running cluster (pid ${process.pid}); stop it, or choose another with --data DIR`,
    );
    await held.release();
    await (await openDataFolder(path)).release();
  }));

it('the lock of a launcher that was killed is taken over, even if its pid was reused by another process', () =>
  inFolder(async (folder) => {
    for (const left of ['2147483646 1\n', `${process.pid} 1\n`, 'nonsense']) {
      writeFileSync(join(folder, 'launcher.lock'), left);
      await (await openDataFolder(folder)).release();
    }
  }));

it('a folder that is not writable fails with a line that names the remedy', () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'file'), '');
    const message = await failure(join(folder, 'file', 'data'));
    assert.match(message, /^data folder .* cannot be written \(.*\); choose another with --data DIR/);
    assert.not.match(message, /\n/);
  }));

it('files that others could read become private, and files that are not its own keep their rights', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'data');
    for (const name of ['secrets', 'logs', 'marks', 'keys', 'reports']) {
      mkdirSync(join(path, name), { recursive: true });
      chmodSync(join(path, name), 0o755);
    }
    const files = ['troupe.db', 'troupe.db-wal', 'logs/launcher.log', 'logs/n1.log', 'marks/n1.json', 'notes.txt'];
    for (const name of files) {
      writeFileSync(join(path, name), '');
      chmodSync(join(path, name), 0o644);
    }
    chmodSync(path, 0o755);
    await (await openDataFolder(path)).release();
    const mode = (name: string): string => (statSync(join(path, name)).mode & 0o777).toString(8);
    assert.equal(['.', 'secrets', 'logs', 'marks'].map(mode), ['700', '700', '700', '700']);
    assert.equal(files.map(mode), ['600', '600', '600', '600', '600', '644']);
    // Nodes themselves refuse sealing keys that others could read, and say so.
    assert.equal(['keys', 'reports'].map(mode), ['755', '755']);
  }));

it('an existing folder with other files keeps its own rights', () =>
  inFolder(async (folder) => {
    writeFileSync(join(folder, 'notes.txt'), '');
    chmodSync(folder, 0o755);
    await (await openDataFolder(folder)).release();
    assert.is(statSync(folder).mode & 0o777, 0o755);
  }));

it('the kernel reports whether a process is stopped, and when it started', () => {
  const own = processState(process.pid);
  assert.is(own?.stopped, false);
  assert.match(String(own?.startedAt), /^\d+$/);
  assert.is(processState(2_147_483_646), null);
});

test.run();
