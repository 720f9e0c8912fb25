import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'troupe');
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'runner-'));
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
test.after(() => rmSync(folder, { recursive: true }));

const HEAD = "import { test } from 'uvu'; import * as assert from 'uvu/assert';\n";

interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly errors: string;
  readonly cpuMs: number;
}

/** The results by file name, and the exit code of the process. */
async function run(files: Record<string, string>): Promise<{ results: Map<string, Result>; code: number | null }> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name.replace(/ts$/, 'js')), HEAD + text);
  const args = [join(root, 'scripts', 'run-tests.mjs'), ...Object.keys(files)];
  const env = { ...process.env, TROUPE_COMPILED_TESTS: folder };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  let lines = '';
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    lines += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const reported = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
  return { results: new Map(reported.map((one) => [one.file, one])), code };
}

it('counts passed, failed and skipped tests per file, with the name and the reason of each failure', async () => {
  const { results, code } = await run({
    'a.test.ts':
      "test('good', () => {}); test('bad one', () => { assert.is(1, 2); }); test.skip('later', () => {}); test.run();",
    'b.test.ts': "test('fine', async () => {}); test.run();",
  });
  const a = results.get('a.test.ts');
  assert.equal([a?.passed, a?.failed, a?.skipped], [1, 1, 1]);
  assert.match(String(a?.errors), /bad one/);
  assert.equal([results.get('b.test.ts')?.passed, results.get('b.test.ts')?.failed], [1, 0]);
  assert.is(code, 0);
});

it('a file that does not run its tests fails, and its tests do not count for the next file', async () => {
  const { results } = await run({
    'forgot.test.ts': "test('never run', () => {});",
    'next.test.ts': "test('one', () => {}); test.run();",
  });
  assert.match(String(results.get('forgot.test.ts')?.errors), /runs no test/);
  assert.is(results.get('forgot.test.ts')?.failed, 1);
  assert.is(results.get('next.test.ts')?.passed, 1);
});

it('a file that does not load fails with the reason, and the others run', async () => {
  const { results } = await run({
    'broken.test.ts': "throw new Error('at the top');",
    'whole.test.ts': "test('one', () => {}); test.run();",
  });
  assert.match(String(results.get('broken.test.ts')?.errors), /at the top/);
  assert.is(results.get('whole.test.ts')?.passed, 1);
});

it('an uncaught error fails the file that was running', async () => {
  const { results } = await run({
    'stray.test.ts':
      "test('waits', async () => { void Promise.reject(new Error('astray')); await new Promise((r) => setTimeout(r, 50)); }); test.run();",
  });
  assert.is(results.get('stray.test.ts')?.failed, 1);
  assert.match(String(results.get('stray.test.ts')?.errors), /astray/);
});

it('shared resources are closed once, after the last file that uses them, and a failure to close fails that file', async () => {
  const share = (text: string): string =>
    `test('uses it', () => { assert.not(globalThis.closed); ${text} }); test.run();`;
  const closing = 'globalThis.TROUPE_AT_END(async () => { globalThis.closed = true; throw new Error("still open"); });';
  const { results } = await run({ 'first.test.ts': share(closing), 'second.test.ts': share('') });
  assert.equal([results.get('first.test.ts')?.passed, results.get('first.test.ts')?.failed], [1, 0]);
  assert.equal([results.get('second.test.ts')?.passed, results.get('second.test.ts')?.failed], [1, 1]);
  assert.match(String(results.get('second.test.ts')?.errors), /at the end of all files.*still open/);
});

it('every file is in one job, the longest first; files of a folder with one cluster are together, timed ones apart', async () => {
  const { jobsOf } = (await import(new URL('../../../scripts/test-jobs.mjs', import.meta.url).href)) as {
    readonly jobsOf: (files: readonly string[]) => Readonly<Record<'timed' | 'others', readonly { files: string[] }[]>>;
  };
  const light = Array.from({ length: 90 }, (_, i) => `tests/actors/runtime/a${i}.test.ts`);
  const own = ['tests/gateway/operator/cli/start/up.test.ts', 'tests/gateway/operator/cli/production-folder.test.ts'];
  const few = Array.from({ length: 10 }, (_, i) => `tests/api/a${i}.test.ts`);
  const shared = ['tests/api/sdks/a.test.ts', 'tests/api/sdks/b.test.ts'];
  const judging = ['tests/cluster/zombie.test.ts', 'tests/chaos/short.test.ts'];
  const all = [...own, ...few, ...shared, ...judging, ...light];
  const { timed, others } = jobsOf(all);
  assert.equal([...timed, ...others].flatMap(({ files }) => files).sort(), [...all].sort());
  assert.equal(
    timed.map(({ files }) => files),
    judging.reverse().map((file) => [file]),
  );
  const groups = others.map(({ files }) => files);
  for (const file of own) assert.ok(groups.some((group) => group.length === 1 && group[0] === file));
  assert.ok(groups.some((group) => group.join() === shared.join()));
  assert.equal(
    groups.map((group) => group.length),
    [1, 1, 2, 5, 5, 30, 30, 30],
  );
  assert.equal(groups.slice(0, 3), [...own.map((file) => [file]), shared]);
});

it('at most two failing files run a second time, and none that searches for violations under faults', async () => {
  const { secondRunOf } = (await import(new URL('../../../scripts/test-jobs.mjs', import.meta.url).href)) as {
    readonly secondRunOf: (failing: readonly string[]) => readonly string[];
  };
  assert.equal(secondRunOf(['tests/api/a.test.ts', 'tests/chaos/short.test.ts']), ['tests/api/a.test.ts']);
  assert.equal(secondRunOf(['tests/simulation/simulation.test.ts']), []);
  assert.equal(secondRunOf(['tests/api/a.test.ts', 'tests/api/b.test.ts', 'tests/api/c.test.ts']), []);
});

interface Measured {
  measure(work: () => void, now: () => number): number;
  readonly value: number;
}

it('the pace is how much longer the work takes than alone, slow moments included and stalls left out; at least 1', async () => {
  const { Pace } = (await import(new URL('../../../scripts/pace.mjs', import.meta.url).href)) as {
    readonly Pace: new () => Measured;
  };
  const pace = new Pace();
  let at = 0;
  const takes = (ms: number) =>
    pace.measure(
      () => {
        at += ms;
      },
      () => at,
    );
  assert.is(pace.value, 1);
  assert.is(takes(10), 1);
  for (const ms of [400, 400, 4_000, 4_000]) takes(ms);
  assert.is(pace.value, 10, 'two stalls are left out');
  for (let n = 0; n < 9; n++) takes(80);
  assert.is(pace.value, 10);
  for (let n = 0; n < 3; n++) takes(80);
  assert.is(pace.value, 2, 'a slow moment is forgotten');
});

it('a process of tests reports the CPU time of a file with that of the processes it started', async () => {
  const spin = 'for (const end = process.cpuUsage().user + 300_000; process.cpuUsage().user < end; );';
  const { results } = await run({
    'child.test.ts': `import { spawnSync } from 'node:child_process'; test('spends', () => { spawnSync(process.execPath, ['-e', ${JSON.stringify(spin)}]); }); test.run();`,
  });
  assert.ok(Number(results.get('child.test.ts')?.cpuMs) >= 300);
});

test.run();
