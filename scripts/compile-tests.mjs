/**
 * Compiles the sources and the tests for the test runner, without a type check, into a folder below `.cache/compiled/`
 * that mirrors the repository. (A loader that compiles on import took 2 s of CPU time in each of 120 processes; this
 * takes 2 s once.) The folder is named after the state of the sources: a source that changes during a run belongs to
 * the next.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { copyDocuments, filesIn, productSources, stampOf } from './build.mjs';
import { ROOT, run } from './run.mjs';

const HOME = join(ROOT, '.cache', 'compiled');
const NAME_CHARS = 16;
/** A run takes minutes; a folder that none has begun with for this long is removed. */
const UNUSED_MS_MAX = 3_600_000;

/** Returns the folder. Quick if no source has changed. */
export function ensureTestsCompiled() {
  const tests = filesIn('tests').filter((path) => path.endsWith('.ts'));
  const folder = join(HOME, stampOf([...productSources(), ...tests]).slice(0, NAME_CHARS));
  if (existsSync(folder)) {
    const now = new Date();
    utimesSync(folder, now, now);
    return folder;
  }
  removeUnused();
  const temporary = `${folder}.${process.pid}`;
  compile(temporary);
  for (const path of tests) keepLocation(join(temporary, path.replace(/ts$/, 'js')), join(ROOT, path));
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Another run has compiled the same sources meanwhile.
    if (!existsSync(folder)) throw error;
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Erases the types, file by file; ends this process on a syntax error. */
function compile(folder) {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--noCheck', '--noEmit', 'false', '--sourceMap', '--rootDir', '.', '--outDir', folder];
  run(process.execPath, [tsc, '-p', 'tsconfig.json', ...options], 'the sources do not compile; see above');
  copyDocuments(folder);
}

/** A test finds its fixtures and the repository by the location of its source. */
function keepLocation(compiled, source) {
  const text = readFileSync(compiled, 'utf8');
  const kept = text
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(source).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(source)));
  if (kept !== text) writeFileSync(compiled, kept);
}

function removeUnused() {
  if (!existsSync(HOME)) return;
  for (const name of readdirSync(HOME)) {
    const folder = join(HOME, name);
    if (Date.now() - statSync(folder).mtimeMs > UNUSED_MS_MAX) rmSync(folder, { recursive: true, force: true });
  }
}
