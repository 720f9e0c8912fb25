/**
 * Other versions of Node that the tests run on, as npm packages under `node_modules/.cache`, each with a SQLite
 * module compiled for it. The repository's own installation stays unchanged. (Measured on two cores: 6 s to fetch one,
 * 28 s to compile the module without optimization, 72 s with it.)
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './run.mjs';

/**
 * Not 24.19 and later: a native class that is compiled with their headers aborts the process when the collector takes
 * it outside of JavaScript, and better-sqlite3 12 has such classes. Version 13 has none and needs Node 22.
 */
export const OTHER_NODES = ['22.23.3', '24.18.1'];

const HOME = join(ROOT, 'node_modules', '.cache', 'troupe', 'nodes');
const PRELOAD = join(ROOT, 'scripts', 'sqlite-of-this-node.cjs');
const SQLITE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies['better-sqlite3'];
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const INSTALL_MS_MAX = 180_000;
const COMPILE_MS_MAX = 600_000;

/** Returns `{path, env}` for running a version of Node, or `{missing}` with the reason. Quick once installed. */
export function otherNode(version) {
  const folder = join(HOME, version);
  const home = join(folder, 'node_modules', PACKAGE);
  const path = join(home, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const native = join(folder, 'node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');
  const env = {
    ...process.env,
    PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --require="${PRELOAD}"`.trim(),
    TROUPE_TEST_SQLITE: native,
  };
  const ready = join(folder, '.ready');
  if (!existsSync(ready) || readFileSync(ready, 'utf8') !== SQLITE) {
    const missing = install(version, folder) ?? compile(folder, home) ?? fault(path, env, version);
    if (missing) return { missing };
    writeFileSync(ready, SQLITE);
  }
  return { path, env };
}

function install(version, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = { [PACKAGE]: version, 'better-sqlite3': SQLITE };
  // Only the install script of `better-sqlite3` may run, in the second step.
  const manifest = { private: true, dependencies, allowScripts: { 'better-sqlite3': true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const failed = npm(folder, ['install', '--no-package-lock', '--ignore-scripts'], process.env, INSTALL_MS_MAX);
  return failed && `npm has no ${PACKAGE}@${version} (${failed})`;
}

function compile(folder, home) {
  const env = {
    ...process.env,
    PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`,
    npm_config_nodedir: home,
    CFLAGS: '-O0',
    CXXFLAGS: '-O0',
  };
  const failed = npm(folder, ['rebuild', 'better-sqlite3', '--ignore-scripts=false'], env, COMPILE_MS_MAX);
  return failed && `better-sqlite3 could not be built for it (${failed})`;
}

/** Checks that the installed Node has the requested version and loads the module; null if so. */
function fault(path, env, version) {
  const script = "const Database = require('better-sqlite3'); new Database(':memory:').close(); process.version";
  const { stdout, status } = spawnSync(path, ['-p', script], { cwd: ROOT, env, encoding: 'utf8' });
  return status === 0 && stdout.trim() === `v${version}` ? null : 'it does not load the SQLite module';
}

function npm(cwd, args, env, timeout) {
  const command = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const all = [...args, '--prefix', cwd, '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync(command, all, { cwd, env, timeout, encoding: 'utf8' });
  if (status === 0) return null;
  return error?.message ?? stderr.trim().split('\n').find(Boolean) ?? `npm ended with ${status}`;
}
