/** Writes a file whole or not at all: aside, flushed, then renamed into place, readable by its owner only. */
import { open, rename } from 'node:fs/promises';

export async function writeWhole(file: string, text: string): Promise<void> {
  const aside = `${file}.new`;
  const handle = await open(aside, 'w', 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(aside, file);
}
