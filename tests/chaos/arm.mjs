/**
 * Loaded into every process of a chaos cluster before its own code (`NODE_OPTIONS=--import`). A node whose name has a
 * file in the folder arms the crash point written there, for this process only; other nodes are unaffected. A signal
 * written after it is sent to the node instead of SIGKILL.
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
