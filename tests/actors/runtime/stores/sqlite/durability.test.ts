/** Counts sync calls that reach the disk: a pragma only claims durability, a sync call provides it. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../../support/bounded.ts';
import { nodeArguments } from '../../../../support/node-arguments.ts';

const it = bounded(test);
const COMMITS = 120;
const fixture = fileURLToPath(new URL('../../../../fixtures/fsync-count.c', import.meta.url));
const writer = fileURLToPath(new URL('../../../../support/store-writer.ts', import.meta.url));

const compiler = ['cc', 'gcc'].find((name) => spawnSync(name, ['--version']).status === 0);
const strace = spawnSync('strace', ['-V']).status === 0;

async function write(folder: string, wrap: (node: string[]) => string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [command = '', ...args] = wrap([
    process.execPath,
    ...nodeArguments(writer),
    join(folder, 't.db'),
    'w',
    String(COMMITS),
  ]);
  const { stdout } = await promisify(execFile)(command, args, { env: { ...process.env, ...env } });
  assert.is((JSON.parse(stdout) as { acknowledged: number }).acknowledged, COMMITS);
}

async function countByPreload(folder: string): Promise<number> {
  const shim = join(folder, 'fsync-count.so');
  const built = spawnSync(compiler ?? 'cc', ['-shared', '-fPIC', '-O2', '-o', shim, fixture, '-ldl']);
  assert.is(built.status, 0, String(built.stderr));
  const out = join(folder, 'count');
  await write(folder, (node) => node, { LD_PRELOAD: shim, FSYNC_COUNT_FILE: out });
  return Number(readFileSync(out, 'utf8'));
}

async function countByStrace(folder: string): Promise<number> {
  const out = join(folder, 'trace');
  await write(folder, (node) => ['strace', '-f', '-e', 'trace=fsync,fdatasync', '-o', out, ...node], {});
  return (
    readFileSync(out, 'utf8').match(/\b(fsync|fdatasync)\(\d+\)?.*= 0|(fsync|fdatasync) resumed.*= 0/g)?.length ?? 0
  );
}

if (process.platform !== 'linux' || (compiler === undefined && !strace)) {
  const why = 'counting syncs needs Linux with a C compiler (cc, gcc) or strace; none was found';
  process.stdout.write(`SKIPPED: ${why}\n`);
  test.skip(why);
} else {
  it('every commit is synced to the disk before it is acknowledged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-sync-'));
    try {
      const syncs = compiler === undefined ? await countByStrace(folder) : await countByPreload(folder);
      assert.ok(syncs >= COMMITS, `${COMMITS} commits made ${syncs} syncs`);
      assert.ok(syncs < COMMITS * 2, `${COMMITS} commits made ${syncs} syncs: more than one each`);
      assert.ok(existsSync(join(folder, 't.db')));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test.run();
