/**
 * A file that only takes up space: when the disk is full its removal lets what is under way (settles, releases) still
 * be written. Laid once beside the database and shared by its nodes; it comes back at the next start with room for it.
 */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1024 * 1024;

export interface Ballast {
  /** Frees the space; true if there was some to free. Harmless when called again. */
  drop(): boolean;
}

/** Lays `bytes` at `path` unless something is there. A disk without room for it gets none: no error. */
export async function layBallast(path: string, bytes: number): Promise<Ballast> {
  await fill(path, bytes).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'EEXIST') rmSync(path, { force: true });
  });
  return {
    drop() {
      try {
        rmSync(path);
        return true;
      } catch {
        return false;
      }
    },
  };
}

async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let left = bytes; left > 0; left -= CHUNK_BYTES) await file.write(chunk, 0, Math.min(left, CHUNK_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
}
