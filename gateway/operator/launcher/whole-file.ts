/** Writes a file atomically: to a temporary file, flushed, then renamed into place, readable by its owner only. */
import { open, rename } from 'node:fs/promises';

export async function writeWhole(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.chmod(0o600);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}
