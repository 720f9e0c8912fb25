/**
 * Creates a folder and the missing ones above it, for their owner only. Node's own recursive `mkdir` never returns on a
 * file system that refuses names as absent, such as /proc: it creates the parent again and again.
 */
import { mkdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

const FOLDER_MODE = 0o700;

/** Leaves an existing folder as it is. Throws the error of the first folder that cannot be created. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (isFolder(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path || isFolder(parent)) throw error;
    makeFolder(parent);
    makeBelow(path);
  }
}

/** Another process may create the same folder at the same time. */
function makeBelow(path: string): void {
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Makes the names in a folder durable: a rename or a removal survives a power failure only after this. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
