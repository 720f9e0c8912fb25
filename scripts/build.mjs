/**
 * Builds `dist/` if a source changed since the last build; otherwise returns quickly. Types are erased without a check
 * (`npm run check` does that), so a start needs no type declarations of packages. Other files (protobuf files,
 * documents read at run time) are copied to the same place. As a script it builds and prints the result.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { log, ROOT, run } from './run.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
const FOLDERS = ['actors', 'gateway', 'proto'];
const FILES = ['cluster.config.ts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/**
 * True if it built. Built in a temporary folder and moved into place: a cluster that runs from `dist/` never sees a
 * partial build.
 */
export function ensureBuilt() {
  const sources = productSources();
  const wanted = stampOf(sources);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return false;
  const temporary = join(ROOT, 'node_modules', '.cache', 'troupe', `build-${process.pid}`);
  rmSync(temporary, { recursive: true, force: true });
  compile('tsconfig.build.json', temporary);
  writeFileSync(join(temporary, '.built'), wanted);
  // Two renames directly after each other: a cluster that starts meanwhile finds the old build or the new one.
  if (existsSync(DIST)) renameSync(DIST, `${temporary}.old`);
  renameSync(temporary, DIST);
  rmSync(`${temporary}.old`, { recursive: true, force: true });
  return true;
}

/**
 * Erases the types of a project's files, and copies the documents of the product; ends this process on a syntax error.
 */
export function compile(project, folder) {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = ['--noCheck', '--noEmit', 'false', '--sourceMap', '--rootDir', '.', '--outDir', folder];
  run(process.execPath, [tsc, '-p', project, ...options], 'the sources do not compile; see above');
  for (const path of FOLDERS.flatMap(filesIn)) {
    if (path.endsWith('.ts')) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(folder, path));
  }
}

/** The files that the product is built of. */
export function productSources() {
  return [...FOLDERS.flatMap(filesIn), ...FILES];
}

export function filesIn(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/** Names the state of these files by their times and sizes. */
export function stampOf(sources) {
  const hash = createHash('sha256');
  for (const path of [...sources].sort()) {
    const { mtimeMs, size } = statSync(join(ROOT, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { ensureInstalled } = await import('./install.mjs');
  ensureInstalled();
  log(ensureBuilt() ? 'Built dist/' : 'dist/ is up to date');
}
