/**
 * `npm test`: installs, checks types, format and lint, then compiles the sources and runs every test; ends with one
 * line `N passed, N failed`. Some 35 light test files share a process, as do the files of a folder below `tests/api`,
 * which share a cluster, and a few heavy files; the longest have a process each. Three processes run at a time, at
 * most one of which measures real time under faults. Each file is reported with its wall and CPU time. A file fails if
 * it runs no test, is killed for taking too long, or leaves a resource open. Every limit, here and in the tests, is a
 * multiple of the pace of the machine, which is measured during the whole run. If at most two files fail, each runs once
 * more, alone; a file that then passes is listed as UNSTABLE and does not fail the run: such a test depends on the
 * speed of the machine and wants a repair. Files that search for lost work or money under faults get no second run.
 * `--check` runs the checks, the tidy test and the tests of the documents, the rules and the lock file only; `npm test --
 * PART...` only the files whose path contains one of the parts, without the checks. `--nodes` runs the short form on
 * the other versions of Node that npm has.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureTestsCompiled } from './compile-tests.mjs';
import { cpuMs } from './cpu-time.mjs';
import { ensureInstalled } from './install.mjs';
import { nodeOf, OTHER_VERSIONS } from './node.mjs';
import { Pace } from './pace.mjs';
import { ROOT } from './run.mjs';
import { isLight, jobsOf, SHORT_FORM, secondRunOf } from './test-jobs.mjs';

/** On two cores, since many tests wait for time to pass or for other processes. */
const PROCESSES_AT_ONCE = { besideTimed: 3, afterwards: 4 };
/** A process must end by itself within this time, at pace 1, after its files are done. */
const LINGER_MS_MAX = 20_000;
const OUTPUT_CHARS_MAX = 20_000;
const PACE_EVERY_MS = 5_000;

/** Running process groups; Ctrl-C does not reach them directly. */
const running = new Set();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const pid of running) killGroup(pid);
    process.exit(1);
  });
}

ensureInstalled({ tests: true });
const pace = new Pace();
let slowest = 1;
/** What the processes of this run share. */
const shared = mkdtempSync(join(tmpdir(), 'troupe-tests-'));
process.on('exit', () => rmSync(shared, { recursive: true, force: true }));
/** Holds the pace for the tests (`tests/support/pace.ts`). */
const paceFile = join(shared, 'pace');
measurePace();
setInterval(measurePace, PACE_EVERY_MS).unref();
/** The Node that runs the tests; processes that they start by its name find the same one. */
let node = process.execPath;
/** The sums of the current run per file: `{passed, failed, skipped}`. */
let results = new Map();
const total = { passed: 0, failed: 0, skipped: 0 };
const unstable = [];
const onlyCheck = process.argv.includes('--check');
const onOtherNodes = process.argv.includes('--nodes');
const parts = onlyCheck
  ? ['tests/tidy.test.ts', 'tests/docs.test.ts', 'tests/rules.test.ts', 'tests/lock-file.test.ts']
  : onOtherNodes
    ? SHORT_FORM
    : process.argv.slice(2);
const started = performance.now();
if (onlyCheck || parts.length === 0) await check();
const files = walk('tests').filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
// Tests of whole clusters run the build, as users do.
if (files.some((file) => !isLight(file))) await step('build', 'scripts/build.mjs', [], { reportSuccess: false });
const compiled = ensureTestsCompiled();
if (onOtherNodes) await runOnOtherNodes(files);
else await runAndRepeat(files);
sumUp();
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
const cpuSeconds = (cpuMs() / 1_000).toFixed(0);
print(`\n${files.length} files in ${seconds} s, CPU ${cpuSeconds} s, pace ${slowest.toFixed(1)} at most${skipped}\n`);
for (const file of unstable) print(`UNSTABLE ${file}: failed, then passed alone\n`);
print(`${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = total.failed > 0 || (total.passed === 0 && !onOtherNodes) ? 1 : 0;

/** A rename, so that no test reads half of a number. */
function measurePace() {
  slowest = Math.max(slowest, pace.measure());
  writeFileSync(`${paceFile}.next`, String(pace.value));
  renameSync(`${paceFile}.next`, paceFile);
}

async function runOnOtherNodes(all) {
  for (const version of OTHER_VERSIONS) {
    try {
      node = nodeOf(version);
    } catch (error) {
      print(`Node ${version} skipped: ${error.message}\n`);
      total.skipped++;
      continue;
    }
    print(`Node ${version}\n`);
    const before = performance.now();
    await runAndRepeat(all);
    sumUp();
    print(`Node ${version}: ${((performance.now() - before) / 1_000).toFixed(0)} s\n\n`);
  }
}

/**
 * Types in parallel with format and lint; each counts as one test. Each checker reads every declaration that it meets, so
 * one takes 17 s of CPU time and four take 27.
 */
async function check() {
  await Promise.all([
    step('types', 'node_modules/typescript/bin/tsc', ['--noEmit', '--checkers', '1', '-p', 'tsconfig.json']),
    step('types of the console', 'node_modules/typescript/bin/tsc', [
      '--noEmit',
      '-p',
      'gateway/console/tsconfig.json',
    ]),
    step('format and lint', 'node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
  ]);
}

/** Runs a tool in its own process: a failing tool is one failure, and the tests still run. */
async function step(file, tool, args, { reportSuccess = true } = {}) {
  const before = performance.now();
  const child = spawn(process.execPath, [join(ROOT, tool), ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk) => {
    output = (output + chunk).slice(-OUTPUT_CHARS_MAX);
  };
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code === 0 && !reportSuccess) return;
  const [passed, failed] = code === 0 ? [1, 0] : [0, 1];
  report({ file, passed, failed, skipped: 0, errors: '', ms: performance.now() - before }, output);
}

async function runAndRepeat(all) {
  await runAll(all);
  const failing = all.filter((file) => results.get(file)?.failed > 0);
  for (const file of secondRunOf(failing)) {
    const first = results.get(file);
    results.delete(file);
    await runAll([file]);
    if (results.get(file)?.failed === 0) unstable.push(file);
    else results.set(file, first);
  }
}

/** Adds the results of the current run to the total. */
function sumUp() {
  for (const { passed, failed, skipped } of results.values()) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  results = new Map();
}

/** The first lane runs the timed jobs, then becomes as many as there may be without them. */
async function runAll(all) {
  const { timed, others } = jobsOf(all);
  const lane = async (queue) => {
    for (let job = queue.shift(); job; job = queue.shift()) await runGroup(job.files, job.fileMsMax);
  };
  const { besideTimed, afterwards } = PROCESSES_AT_ONCE;
  const lanes = (count) => Promise.all(Array.from({ length: count }, () => lane(others)));
  await Promise.all([lane(timed).then(() => lanes(1 + afterwards - besideTimed)), lanes(besideTimed - 1)]);
}

/** Runs files in one process; files left over by a killed or broken process run in the next one. */
async function runGroup(group, fileMsMax) {
  for (let left = group; left.length > 0; ) {
    const done = await runProcess(left, fileMsMax);
    left = left.slice(done);
  }
}

/** Resolves with the number of completed files, at least one. */
function runProcess(group, fileMsMax) {
  return new Promise((resolve) => {
    // A process group of its own: processes started by the tests end with it, also if it is killed.
    const child = spawn(node, ['--enable-source-maps', 'scripts/run-tests.mjs', ...group], {
      cwd: ROOT,
      env: {
        ...process.env,
        PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
        TROUPE_COMPILED_TESTS: compiled,
        TROUPE_PACE_FILE: paceFile,
        // Hundreds of processes load the same files: the first stores what V8 makes of them. Saves 0.1 to 0.2 s of CPU each.
        NODE_COMPILE_CACHE: join(shared, 'compiled'),
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    running.add(child.pid);
    let output = '';
    let done = 0;
    let begun = performance.now();
    let killedFor = null;
    let timer = null;
    const watch = (limitMs, why) => {
      clearTimeout(timer);
      const from = performance.now();
      const check = () => {
        const leftMs = limitMs * pace.value - (performance.now() - from);
        if (leftMs > 0) {
          timer = setTimeout(check, leftMs);
          return;
        }
        killedFor = `${why} ${(limitMs / 1_000).toFixed(0)} s at pace ${pace.value.toFixed(1)}`;
        killGroup(child.pid);
      };
      check();
    };
    const collect = (chunk) => {
      output = (output + chunk).slice(-OUTPUT_CHARS_MAX);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    createInterface({ input: child.stdio[3] }).on('line', (line) => {
      report({ ...JSON.parse(line), ms: performance.now() - begun }, output);
      output = '';
      begun = performance.now();
      done++;
      if (done < group.length) watch(fileMsMax, 'took longer than');
      else watch(LINGER_MS_MAX, 'left something open: the process did not end by itself within');
    });
    watch(fileMsMax, 'took longer than');
    child.on('exit', () => {
      running.delete(child.pid);
      killGroup(child.pid);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const broken = killedFor ?? (code === 0 || code === 1 ? null : `ended with ${signal ?? `code ${code}`}`);
      const unfinished = done < group.length;
      if (unfinished || broken) {
        const errors = `    ${broken ?? 'the process ended before the file was done'}\n`;
        report(
          {
            file: group[Math.min(done, group.length - 1)],
            passed: 0,
            failed: 1,
            skipped: 0,
            errors,
            ms: performance.now() - begun,
          },
          output,
        );
      }
      resolve(unfinished ? done + 1 : done);
    });
  });
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group is empty.
  }
}

function report({ file, passed, failed, skipped, errors, ms, cpuMs }, output) {
  const sum = results.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
  results.set(file, { passed: sum.passed + passed, failed: sum.failed + failed, skipped: sum.skipped + skipped });
  const mark = failed > 0 ? 'FAIL' : 'ok  ';
  print(
    `${mark} ${file}  ${passed}/${passed + failed}  ${Math.round(ms)} ms${cpuMs === undefined ? '' : ` (${cpuMs} CPU)`}\n`,
  );
  if (failed === 0) return;
  if (errors) print(`${errors}\n`);
  if (output.trim()) print(`    printed:\n${output.trimEnd().replace(/^/gm, '      ')}\n`);
}

function walk(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return walk(path);
      return entry.name.endsWith('.test.ts') ? [path] : [];
    });
}

function print(text) {
  process.stdout.write(text);
}
