/**
 * Packages that scripts use and that the product does not depend on: a Node of another version, the bundler. Each lies
 * in a folder of its own below `.cache/packages/`, in exactly the version that is asked for, without its install
 * scripts.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.mjs';

const HOME = join(ROOT, '.cache', 'packages');
const INSTALL_MS_MAX = 180_000;

/** Returns the folder of the package, or throws an error with npm's reason. Quick once it is fetched. */
export function fetchPackage(name, version) {
  const home = join(HOME, `${name}-${version}`);
  const folder = join(home, 'node_modules', name);
  if (existsSync(folder)) return folder;
  const temporary = `${home}.${process.pid}`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  try {
    writeFileSync(
      join(temporary, 'package.json'),
      JSON.stringify({ private: true, dependencies: { [name]: version } }),
    );
    install(temporary);
    renameSync(temporary, home);
  } catch (error) {
    // Another process may have fetched it meanwhile.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

function install(folder) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const quiet = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: folder, timeout: INSTALL_MS_MAX, encoding: 'utf8' };
  const { status, stderr, error } = spawnSync(npm, ['install', '--prefix', folder, ...quiet], options);
  if (status === 0) return;
  throw new Error(error?.message ?? stderr.trim().split('\n').find(Boolean) ?? `npm ended with ${status}`);
}
