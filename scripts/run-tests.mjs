/**
 * Runs the given test files one after the other in this process and writes one JSON line per file to descriptor 3:
 * `{file, passed, failed, skipped, errors}`. Loads the files itself, because the runner of uvu neither says which file
 * forgot to run its tests nor keeps the results apart. What tests print goes to stdout as it comes.
 */
import { readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

globalThis.UVU_DEFER = 1;
const { test } = await import('uvu');
const queue = globalThis.UVU_QUEUE;

/** Closes what several files share, after the last of them. */
const endings = [];
globalThis.TROUPE_AT_END = (close) => endings.push(close);

let running = null;
process.on('uncaughtException', (error) => broken(error));
process.on('unhandledRejection', (error) => broken(error));

const files = process.argv.slice(2);
for (const [at, file] of files.entries()) {
  running = file;
  const cpuBefore = cpuMs();
  const group = [];
  queue[at] = group;
  globalThis.UVU_INDEX = at;
  let result;
  try {
    await import(pathToFileURL(resolve(file)).href);
    result = await runSuites(group);
  } catch (error) {
    result = { passed: 0, failed: 1, skipped: 0, errors: `    does not load: ${error?.stack ?? error}\n` };
  }
  if (at === files.length - 1) result = await endAll(result);
  running = null;
  tell({ file, ...result, cpuMs: cpuMs() - cpuBefore });
  // What a file registered and did not run must not count for the next one.
  globalThis.UVU_INDEX = at;
  test.run();
}

async function runSuites(group) {
  const sum = { passed: 0, failed: 0, skipped: 0, errors: '' };
  for (const suite of group.splice(0)) {
    const [errors, passed, skipped, all] = await suite();
    sum.passed += passed;
    sum.skipped += skipped;
    sum.failed += all - passed;
    if (errors !== true) sum.errors += errors;
  }
  if (sum.passed + sum.failed === 0) {
    return { ...sum, failed: 1, errors: '    runs no test: is `test.run()` missing at its end?\n' };
  }
  return sum;
}

/** What fails to close fails the last file. */
async function endAll(result) {
  const failures = (await Promise.allSettled(endings.map((close) => close()))).filter(
    ({ status }) => status === 'rejected',
  );
  const errors = failures.map(({ reason }) => `    at the end of all files: ${reason?.stack ?? reason}\n`).join('');
  return { ...result, failed: result.failed + failures.length, errors: result.errors + errors };
}

/** An error nobody waited for: the file that runs has failed, whatever its tests say, and the process is not to be trusted. */
function broken(error) {
  const errors = `    an error that no test caught: ${error?.stack ?? error}\n`;
  if (running !== null) tell({ file: running, passed: 0, failed: 1, skipped: 0, errors });
  process.stderr.write(errors);
  process.exit(running === null ? 2 : 0);
}

/** CPU time of this process and, where the system tells it cheaply, of its children that have ended. */
function cpuMs() {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000) + childrenMs();
}

/** Linux counts in ticks of 10 ms; fields 16 and 17 of the line, counted from behind the name in brackets. */
function childrenMs() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}

function tell(result) {
  writeSync(3, `${JSON.stringify(result)}\n`);
}
