/**
 * Builds `dist/` when a source changed since the last build; quick when none did. Types are erased and not checked,
 * which `npm run check` does: a start needs no declarations of packages. What is not TypeScript (protobuf
 * files, documents read at run time) is copied to the same place. Run as a script it builds and says so.
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
import { ROOT, run, say } from './run.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
const FOLDERS = ['actors', 'gateway', 'proto'];
const FILES = ['cluster.config.ts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

/** True when it built. Made aside and moved into place whole: a cluster that runs from `dist/` never sees half of it. */
export function ensureBuilt() {
  const sources = [...FOLDERS.flatMap(walk), ...FILES];
  const wanted = stamp(sources);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return false;
  const aside = join(ROOT, 'node_modules', '.cache', 'troupe', `build-${process.pid}`);
  rmSync(aside, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  run(
    process.execPath,
    [tsc, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', aside],
    'the sources do not compile; see above',
  );
  for (const path of sources) {
    if (path.endsWith('.ts') || FILES.includes(path)) continue;
    mkdirSync(dirname(join(aside, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(aside, path));
  }
  writeFileSync(join(aside, '.built'), wanted);
  // Two renames with nothing between them: a cluster that starts meanwhile finds the old build or the new one.
  if (existsSync(DIST)) renameSync(DIST, `${aside}.old`);
  renameSync(aside, DIST);
  rmSync(`${aside}.old`, { recursive: true, force: true });
  return true;
}

function walk(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? walk(path) : [path];
  });
}

function stamp(sources) {
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
  say(ensureBuilt() ? 'Built dist/' : 'dist/ is up to date');
}
