/** Whether a version of Node is one that Troupe runs on: `engines` of package.json. Old versions load this file too. */
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [major, minor, tooNew] = /^>=(\d+)\.(\d+) <(\d+)$/.exec(engines.node).slice(1).map(Number);

/** As people say it: `Node 22.19 to 26`. */
export const SUPPORTED = `Node ${major}.${minor} to ${tooNew - 1}`;

/** `version` is that of `process.versions.node`. */
export function isSupported(version) {
  const [its, itsMinor] = version.split('.').map(Number);
  return its < tooNew && (its > major || (its === major && itsMinor >= minor));
}
