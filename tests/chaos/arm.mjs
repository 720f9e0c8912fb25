/**
 * Loaded into every process of a chaos cluster before its own code (`NODE_OPTIONS=--import`). A node whose name has a
 * file in the folder takes the crash point written there as its own, for this life only; everybody else is left alone.
 */
import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.TROUPE_CRASH_FOLDER;
const at = process.argv.indexOf('--name');
if (folder && process.argv.includes('node') && at > 0) {
  const file = join(folder, process.argv[at + 1] ?? '');
  try {
    process.env.TROUPE_CRASHPOINT = readFileSync(file, 'utf8');
    unlinkSync(file);
  } catch {
    // Not armed.
  }
}
