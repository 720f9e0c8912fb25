import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DiskEvent, DiskFile, Recording } from './disk-event.ts';

/** One line of the writer's process (watch-disk.cjs, writer.ts). */
type Line =
  | { readonly base: Readonly<Record<DiskFile, string>> }
  | { readonly write: DiskFile; readonly at: number; readonly data: string }
  | { readonly sync: DiskFile }
  | { readonly acknowledged: number };

/** The events recorded at the database driver. The files after the first COMMIT count as durable. */
export async function readWatch(file: string): Promise<Recording> {
  let base: Recording['base'] | null = null;
  const events: DiskEvent[] = [];
  for await (const text of createInterface({ input: createReadStream(file) })) {
    const line = JSON.parse(text) as Line;
    if ('base' in line) base = { db: Buffer.from(line.base.db, 'base64'), wal: Buffer.from(line.base.wal, 'base64') };
    else if ('sync' in line) events.push({ type: 'sync', file: line.sync });
    else if ('acknowledged' in line) events.push({ type: 'acknowledged', version: line.acknowledged });
    else events.push({ type: 'write', file: line.write, at: line.at, bytes: Buffer.from(line.data, 'base64') });
  }
  if (base === null) throw new Error('the writer committed nothing');
  // The tables are created before the acknowledgement of version 0.
  return startAt({ base, events });
}

/** Moves the start to the first acknowledgement; earlier writes count as durable. */
export function startAt({ base, events }: Recording): Recording {
  const first = events.findIndex(({ type }) => type === 'acknowledged');
  const files = { db: base.db, wal: base.wal };
  for (const event of events.slice(0, first)) {
    if (event.type === 'write') files[event.file] = laid(files[event.file], event.at, event.bytes);
    else if (event.type === 'resize') files[event.file] = laid(files[event.file], 0, Buffer.alloc(0), event.size);
  }
  return { base: files, events: events.slice(first) };
}

function laid(file: Buffer, at: number, bytes: Buffer, size = Math.max(file.length, at + bytes.length)): Buffer {
  const next = Buffer.alloc(size);
  file.copy(next);
  bytes.copy(next, at);
  return next;
}
