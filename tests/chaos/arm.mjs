/**
 * Loaded into every process of a chaos cluster before its own code (`NODE_OPTIONS=--import`). A node whose name has a
 * file in the folder arms the crash point written there, for this process only; other nodes are unaffected. A signal
 * written after it is sent to the node instead of SIGKILL. With `once` after the signal, one of the processes that share
 * the point receives it: the one that creates the file of the point.
 */
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.TROUPE_CRASH_FOLDER;
const at = process.argv.indexOf('--name');
if (folder && process.argv.includes('node') && at > 0) {
  const file = join(folder, process.argv[at + 1] ?? '');
  try {
    const [point, times, signal = 'SIGKILL', once] = readFileSync(file, 'utf8').split(':');
    process.env.TROUPE_CRASHPOINT = `${point}:${times}`;
    const { kill } = process;
    process.kill = (pid, wanted) => {
      const isOfPoint = pid === process.pid && wanted === 'SIGKILL';
      if (isOfPoint && once && !isFirst(point)) return true;
      return kill.call(process, pid, isOfPoint ? signal : wanted);
    };
    unlinkSync(file);
  } catch {
    // Not armed.
  }
}

function isFirst(point) {
  try {
    writeFileSync(join(folder, `${point}.reached`), '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
