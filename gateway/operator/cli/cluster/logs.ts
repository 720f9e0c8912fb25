/** `troupe logs`: the logs of the launcher, the nodes and the simulators on this host, one line after the other. */
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../config/config-error.ts';
import { type Given, local } from '../frame/command.ts';
import { configOf } from '../frame/find-cluster.ts';
import { count } from '../frame/names.ts';

const LINES_USUALLY = 20;
const LOOK_MS = 250;

const OPTIONS = {
  '-f, --follow': 'print further lines as they are written, until Ctrl-C',
  '-n, --lines <count>': count(`the newest lines of each log (default: ${LINES_USUALLY})`, 'number of lines'),
} as const;

export const commands = [
  local('logs', 'print the logs of the processes on this host; with --json one JSON object a line', {
    arguments: { '[process]': 'one process, such as n1 or launcher; default: all of them' },
    options: OPTIONS,
    run: async ({ process: name, ...options }) => {
      const { data } = await configOf(options);
      await printLogs(await logFiles(data, name), options);
    },
  }),
];

/** @throws ConfigError if there is no log, or none of this process */
async function logFiles(data: string, name: string | undefined): Promise<readonly string[]> {
  const folder = join(data, 'logs');
  const names = (await readdir(folder).catch(() => [])).filter((one) => one.endsWith('.log')).sort();
  const found = name === undefined ? names : names.filter((one) => one === `${name}.log`);
  if (found.length > 0) return found.map((one) => join(folder, one));
  if (names.length === 0) throw new ConfigError(`there are no logs in ${folder}; name the data folder with --data DIR`);
  throw new ConfigError(
    `there is no log of ${name}; there are ${names.map((one) => basename(one, '.log')).join(', ')}`,
  );
}

async function printLogs(
  files: readonly string[],
  { follow, lines = LINES_USUALLY, json }: Given<unknown, typeof OPTIONS>,
): Promise<void> {
  const print = json ? printRecord : printLine;
  const read = new Map<string, number>();
  for (const file of files) {
    const { size } = await stat(file);
    read.set(file, size);
    for (const line of await newestLines(file, size, lines)) print(file, line);
  }
  if (!follow) return;
  for (;;) {
    await new Promise<void>((resolve) => void systemClock.after(LOOK_MS, resolve));
    for (const file of files) read.set(file, await printFrom(file, read.get(file) ?? 0, print));
  }
}

/** Read as a stream and kept in a ring: a log may be 64 MiB. */
async function newestLines(file: string, end: number, count: number): Promise<readonly string[]> {
  const kept: string[] = [];
  if (end === 0) return kept;
  for await (const line of createInterface({ input: createReadStream(file, { end: end - 1 }) })) {
    kept.push(line);
    if (kept.length > count) kept.shift();
  }
  return kept;
}

/** Prints whole lines from this byte on, and resolves with the byte behind them. A trimmed log begins anew. */
async function printFrom(file: string, from: number, print: typeof printLine): Promise<number> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size === from) return from;
  const start = size < from ? 0 : from;
  let text = '';
  for await (const piece of createReadStream(file, { start, encoding: 'utf8' })) text += piece as string;
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  for (const line of whole.split('\n').slice(0, -1)) print(file, line);
  return start + Buffer.byteLength(whole);
}

function printLine(file: string, line: string): void {
  process.stdout.write(`${basename(file, '.log')}  ${line}\n`);
}

/** A line that a process wrote around its log, such as one of a stack trace, is the member `text`. */
function printRecord(file: string, line: string): void {
  process.stdout.write(`${JSON.stringify({ process: basename(file, '.log'), ...recordIn(line) })}\n`);
}

function recordIn(line: string): object {
  try {
    const record: unknown = JSON.parse(line);
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record;
  } catch {}
  return { text: line };
}
