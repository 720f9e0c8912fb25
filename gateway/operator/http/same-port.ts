/**
 * The port that a node took by itself is kept in `<data>/ports/<node>`, so that a restart serves operators at the same
 * address and what scrapes it needs no change.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../launcher/private-files.ts';

interface Serving {
  readonly url: string;
}

interface SamePort {
  readonly data: string;
  readonly node: string;
  /** The configured port; 0 takes the one of the last start, or a free one. */
  readonly port: number;
}

/** Opens at the configured port, at that of the last start, or at a free one if another process has it now. */
export async function openAtSamePort<Server extends Serving>(
  { data, node, port }: SamePort,
  open: (port: number) => Promise<Server>,
): Promise<Server> {
  if (port !== 0) return open(port);
  const file = join(data, 'ports', node);
  const last = await lastPort(file);
  const server = last === null ? await open(0) : await open(last).catch((error) => openElsewhere(error, open));
  const taken = Number(new URL(server.url).port);
  if (taken !== last) await remember(file, taken);
  return server;
}

function openElsewhere<Server>(error: NodeJS.ErrnoException, open: (port: number) => Promise<Server>): Promise<Server> {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
  return open(0);
}

async function lastPort(file: string): Promise<number | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const port = /^\d{1,5}\n$/.test(text) ? Number(text) : 0;
  return port > 0 && port <= 65_535 ? port : null;
}

/** A full disk does not keep a node from starting: the next start then takes another port. */
async function remember(file: string, port: number): Promise<void> {
  try {
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
    await writeWhole(file, `${port}\n`);
  } catch {}
}
