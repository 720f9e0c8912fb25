/**
 * A Node that Troupe runs on. As a script it prints the path of one, and the commands of package.json continue with
 * that: the Node that runs this file if it is supported, else one from the npm registry, fetched once. Old versions of
 * Node run this file.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSupported, SUPPORTED } from '../bin/supported-node.mjs';
import { fetchPackage } from './fetch.mjs';
import { log } from './run.mjs';

/** The newest version that the tests run on. */
const FETCHED = '26.10.0';
/** The oldest supported version, and one between. */
export const OTHER_VERSIONS = ['22.19.0', '24.21.0'];

const IS_WINDOWS = process.platform === 'win32';
const PLATFORM = `${IS_WINDOWS ? 'win' : process.platform}-${process.arch}`;
/** The package of this platform; that of newer Apple machines has a longer name. */
const PACKAGE = PLATFORM === 'darwin-arm64' ? `node-bin-${PLATFORM}` : `node-${PLATFORM}`;

/** The path of a supported Node. Ends this process with one sentence if there is none. */
export function supportedNode() {
  if (isSupported(process.versions.node)) return process.execPath;
  try {
    return nodeOf(FETCHED);
  } catch (error) {
    log(
      `troupe: needs ${SUPPORTED}, this is Node ${process.versions.node}, and ${PACKAGE}@${FETCHED} cannot be fetched ` +
        `(${error.message}); install a supported version from https://nodejs.org`,
    );
    process.exit(1);
  }
}

/** The path of a version of Node; throws if npm has none for this platform. */
export function nodeOf(version) {
  const folder = fetchPackage(PACKAGE, version);
  return IS_WINDOWS ? join(folder, 'bin', 'node.exe') : join(folder, 'bin', 'node');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const current = process.versions.node;
  if (!isSupported(current)) log(`Troupe needs ${SUPPORTED}; this is ${current}, so Node ${FETCHED} from npm runs it`);
  process.stdout.write(supportedNode());
}
