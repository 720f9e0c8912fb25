/**
 * Loaded into every process of a chaos cluster before its own code (`NODE_OPTIONS=--import`). A node whose name has a
 * file in the folder takes the crash point written there as its own, for this life only; everybody else is left alone.
 * Where a signal is written behind it, the node gets that one instead of its death.
 */
import { readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.TROUPE_CRASH_FOLDER;
const at = process.argv.indexOf('--name');
if (folder && process.argv.includes('node') && at > 0) {
  const file = join(folder, process.argv[at + 1] ?? '');
  try {
    const [point, times, signal = 'SIGKILL'] = readFileSync(file, 'utf8').split(':');
    process.env.TROUPE_CRASHPOINT = `${point}:${times}`;
    const { kill } = process;
    process.kill = (pid, wanted) =>
      kill.call(process, pid, pid === process.pid && wanted === 'SIGKILL' ? signal : wanted);
    unlinkSync(file);
  } catch {
    // Not armed.
  }
}
