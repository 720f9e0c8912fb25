import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DiskEvent, DiskFile, Recording } from './disk-event.ts';
import { startAt } from './read-watch.ts';

/** Process, call, the path behind its descriptor, the rest of the arguments; all strings in hexadecimal escapes. */
const CALL = /^(\d+) +(\w+)\(\d+<((?:\\x[0-9a-f]{2})+)>(.*)$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>.*= (-?\d+)/;
const DATA = /^, "((?:\\x[0-9a-f]{2})*)"(\.\.\.)?, (\d+)(?:, (\d+))?/;

/**
 * Reads the strace record of a database, its log and the file of acknowledgements. A write counts from its start, a
 * sync from its end and only if it succeeded.
 */
export async function readTrace(
  trace: string,
  { database, book }: { readonly database: string; readonly book: string },
): Promise<Recording> {
  const files: Readonly<Record<string, DiskFile>> = { [database]: 'db', [`${database}-wal`]: 'wal' };
  const syncing = new Map<string, DiskFile>();
  const events: DiskEvent[] = [];
  for await (const line of createInterface({ input: createReadStream(trace) })) {
    const resumed = RESUMED.exec(line);
    if (resumed) {
      const file = syncing.get(resumed[1] as string);
      if (file && /sync$/.test(resumed[2] as string) && resumed[3] === '0') events.push({ type: 'sync', file });
      syncing.delete(resumed[1] as string);
      continue;
    }
    const [, pid = '', call = '', path = '', rest = ''] = CALL.exec(line) ?? [];
    const where = unhex(path).toString();
    const file = files[where];
    if (where === book && call === 'write') {
      const { acknowledged } = JSON.parse(dataOf(line, rest).toString()) as { acknowledged: number };
      events.push({ type: 'acknowledged', version: acknowledged });
    } else if (file === undefined) continue;
    else if (call === 'pwrite64') {
      events.push({ type: 'write', file, at: Number(DATA.exec(rest)?.[4]), bytes: dataOf(line, rest) });
    } else if (call === 'ftruncate') events.push({ type: 'resize', file, size: Number(/^, (\d+)/.exec(rest)?.[1]) });
    else if (/sync$/.test(call)) {
      if (rest.includes('<unfinished')) syncing.set(pid, file);
      else if (/= 0$/.test(rest)) events.push({ type: 'sync', file });
    } else throw new Error(`the replay does not support ${call} on ${where}`);
  }
  const empty = Buffer.alloc(0);
  return startAt({ base: { db: empty, wal: empty }, events });
}

function dataOf(line: string, rest: string): Buffer {
  const [, data, cut, length] = DATA.exec(rest) ?? [];
  if (data === undefined || cut !== undefined) throw new Error(`strace truncated ${line.slice(0, 120)}`);
  const bytes = unhex(data);
  if (bytes.length !== Number(length)) throw new Error(`strace recorded ${bytes.length} of ${length} bytes`);
  return bytes;
}

function unhex(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex');
}
