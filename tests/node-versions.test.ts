import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from './support/bounded.ts';
import { ROOT } from './support/sources.ts';

const it = bounded(test);

/** Runs a script in a process that takes its Node for another version. */
function runAs(version: string, script: string): { readonly status: number | null; readonly err: string } {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  const preload = `data:text/javascript,${encodeURIComponent(versions)}`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', preload, script], { encoding: 'utf8' });
  return { status, err: stderr };
}

it('the supported versions are those of package.json: 22.19 to 26', async () => {
  const { isSupported, SUPPORTED } = (await import(`${ROOT}/bin/supported-node.mjs`)) as {
    isSupported(version: string): boolean;
    SUPPORTED: string;
  };
  assert.is(SUPPORTED, 'Node 22.19 to 26');
  const supported = ['22.19.0', '22.23.3', '24.21.0', '26.0.0', '26.10.0'];
  const others = ['18.20.8', '20.20.2', '22.4.0', '22.18.1', '27.0.0'];
  assert.equal([...supported, ...others].filter(isSupported), supported);
});

it('on another version a script ends with one sentence before it does anything', () => {
  for (const script of ['start', 'test', 'build', 'dev']) {
    const { status, err } = runAs('20.20.2', join(ROOT, 'scripts', `${script}.mjs`));
    assert.is(status, 1, script);
    assert.is(err, 'troupe: needs Node 22.19 to 26, and this is Node 20.20.2; npm start and npm test fetch one\n');
  }
});

it('on another version the packed command names the versions that it needs, and fetches none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-packed-'));
  try {
    mkdirSync(join(folder, 'bin'));
    for (const file of ['bin/troupe.mjs', 'bin/supported-node.mjs', 'package.json']) {
      cpSync(join(ROOT, file), join(folder, file));
    }
    for (const version of ['20.20.2', '27.1.0']) {
      const { status, err } = runAs(version, join(folder, 'bin', 'troupe.mjs'));
      assert.is(status, 1);
      assert.match(
        err,
        new RegExp(`^troupe: needs Node 22\\.19 to 26, and this is Node ${version}; install one .*\\n$`),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
