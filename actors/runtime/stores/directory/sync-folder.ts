import { open } from 'node:fs/promises';

/** Makes the names in a folder durable: a rename or a removal survives a power failure only after this. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
