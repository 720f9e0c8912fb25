/**
 * The lock file is whole and portable. npm leaves out optional packages of other platforms when it writes the file
 * beside an installed `node_modules`; `npm ci` then refuses it, or installs nothing for those platforms.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from './support/sources.ts';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const packages = read('package-lock.json').packages as Readonly<Record<string, LockedPackage>>;
const paths = Object.keys(packages);

/** The folders in which Node looks for a package that the package at `path` imports, the nearest first. */
function foldersAbove(path: string): readonly string[] {
  const at = path.lastIndexOf('node_modules/');
  const above = at < 0 ? [] : foldersAbove(path.slice(0, at).replace(/\/$/, ''));
  return [path === '' ? 'node_modules' : `${path}/node_modules`, ...above];
}

const isLocked = (path: string, name: string): boolean =>
  foldersAbove(path).some((folder) => `${folder}/${name}` in packages);

test('every dependency of a locked package has its entry, also the optional ones of other platforms', () => {
  let optional = 0;
  const missing = paths.flatMap((path) => {
    const { dependencies, devDependencies, optionalDependencies } = packages[path] as LockedPackage;
    optional += Object.keys(optionalDependencies ?? {}).length;
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
      .filter((name) => !isLocked(path, name))
      .map((name) => `${path || 'package.json'}: ${name}`);
  });
  assert.ok(optional > 10);
  assert.equal(missing, []);
});

test('every entry has a version and a digest, and none names a registry', () => {
  const wrong = paths.filter((path) => {
    const { version, integrity, resolved } = packages[path] as LockedPackage;
    return path !== '' && (!version || !integrity?.startsWith('sha512-') || resolved !== undefined);
  });
  assert.equal(wrong, []);
});

test('the lock file is the one of this package.json, whose versions are exact', () => {
  const { dependencies, devDependencies } = read('package.json') as LockedPackage;
  const root = packages[''] as LockedPackage;
  assert.equal([root.dependencies, root.devDependencies], [dependencies, devDependencies]);
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(([name, wanted]) => {
    return packages[`node_modules/${name}`]?.version !== wanted;
  });
  assert.equal(loose, []);
});

test.run();
