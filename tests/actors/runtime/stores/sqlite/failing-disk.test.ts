/**
 * Commits on a full and on a failing disk: certain refusals stay certain, and after a disk error no commit is trusted.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../../support/bounded.ts';
import { nodeArguments } from '../../../../support/node-arguments.ts';
import type { DiskReport } from '../../../../support/store-on-a-failing-disk.ts';

const it = bounded(test);
const fixture = fileURLToPath(new URL('../../../../fixtures/disk-fault.c', import.meta.url));
const child = fileURLToPath(new URL('../../../../support/store-on-a-failing-disk.ts', import.meta.url));
const compiler = ['cc', 'gcc'].find((name) => spawnSync(name, ['--version']).status === 0);

async function report(folder: string): Promise<DiskReport> {
  const shim = join(folder, 'disk-fault.so');
  const built = spawnSync(compiler ?? 'cc', ['-shared', '-fPIC', '-O2', '-o', shim, fixture, '-ldl']);
  assert.is(built.status, 0, String(built.stderr));
  const env = { ...process.env, LD_PRELOAD: shim, DISK_FAULT_FILE: join(folder, 'fault') };
  const args = [...nodeArguments(child), join(folder, 't.db'), '65536'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(stdout) as DiskReport;
}

if (process.platform !== 'linux' || compiler === undefined) {
  const why = 'failing a disk needs Linux with a C compiler (cc, gcc); none was found';
  process.stdout.write(`SKIPPED: ${why}\n`);
  test.skip(why);
} else {
  it('a full disk refuses for certain and drops the ballast; a failed sync is unknown, fatal and final', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-disk-'));
    try {
      assert.equal(await report(folder), {
        outcomes: {
          'sound disk': 'committed',
          'full disk': 'refused full',
          'space again': 'committed',
          'failing sync': 'unknown, fatal',
          'after the failing sync': 'refused unreachable',
        },
        ballast: { before: true, after: false },
        fatalCalls: 1,
        versions: { afterFull: 1, atTheEnd: 2 },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test.run();
