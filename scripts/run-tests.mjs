/**
 * Runs the given test files one after the other in this process and writes one JSON line per file to descriptor 3:
 * `{file, passed, failed, skipped, errors}`. Loads the files itself, because uvu's runner neither reports which file
 * forgot to run its tests nor keeps results apart. Output of the tests goes to stdout directly.
 */
import { writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cpuMs } from './cpu-time.mjs';

globalThis.UVU_DEFER = 1;
const { test } = await import('uvu');
const queue = globalThis.UVU_QUEUE;

/** The folder of `compile-tests.mjs`; without it, the files are loaded as they are. */
const compiled = process.env.TROUPE_COMPILED_TESTS;

/** Close functions of resources that several files share, called after the last file. */
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
    await import(pathToFileURL(compiled ? join(compiled, file.replace(/ts$/, 'js')) : resolve(file)).href);
    result = await runSuites(group);
  } catch (error) {
    result = { passed: 0, failed: 1, skipped: 0, errors: `    does not load: ${error?.stack ?? error}\n` };
  }
  if (at === files.length - 1) result = await endAll(result);
  running = null;
  report({ file, ...result, cpuMs: cpuMs() - cpuBefore });
  // Suites that a file registered without running must not count for the next file.
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

/** A failure to close counts against the last file. */
async function endAll(result) {
  const failures = (await Promise.allSettled(endings.map((close) => close()))).filter(
    ({ status }) => status === 'rejected',
  );
  const errors = failures.map(({ reason }) => `    at the end of all files: ${reason?.stack ?? reason}\n`).join('');
  return { ...result, failed: result.failed + failures.length, errors: result.errors + errors };
}

/** An unhandled error fails the running file regardless of its tests, and the process state is undefined. */
function broken(error) {
  const errors = `    an uncaught error: ${error?.stack ?? error}\n`;
  if (running !== null) report({ file: running, passed: 0, failed: 1, skipped: 0, errors });
  process.stderr.write(errors);
  process.exit(running === null ? 2 : 0);
}

function report(result) {
  writeSync(3, `${JSON.stringify(result)}\n`);
}
