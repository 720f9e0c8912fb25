/**
 * Makes the files of a data folder private to its owner: they hold digests of keys, customers' records and logs. The
 * command line creates files private by its umask; this covers files that were copied or restored by other tools.
 */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** For `process.umask`: files 0600, folders 0700. */
export const PRIVATE_UMASK = 0o077;
const OWNER = 0o700;
const STICKY = 0o1000;
/** The names that Troupe gives to files of a data folder; the user may have named a folder with other files in it. */
const FILES = /^(?:troupe\.db|launcher\.|connection\.json|cluster\.json|last-start\.json)/;
/** Without `keys`: nodes refuse a key folder that others could read, and the operator must learn of it. */
const FOLDERS: ReadonlySet<string> = new Set(['logs', 'marks', 'secrets', 'blobs']);

/** Removes the rights of others. The folder itself changes only if it is empty or has been a data folder before. */
export function makePrivate(folder: string): void {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.length === 0 || entries.some(({ name }) => name === 'secrets')) takeRights(folder);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile() && FILES.test(entry.name)) takeRights(path);
    if (!entry.isDirectory() || !FOLDERS.has(entry.name)) continue;
    takeRights(path);
    for (const inner of readdirSync(path, { withFileTypes: true })) {
      if (inner.isFile()) takeRights(join(path, inner.name));
    }
  }
}

/** Skips what belongs to another user, and folders shared by all users, such as `/tmp`. */
function takeRights(path: string): void {
  try {
    const { mode, uid } = statSync(path);
    if ((mode & PRIVATE_UMASK) === 0 || (mode & STICKY) !== 0 || uid !== process.getuid?.()) return;
    chmodSync(path, mode & OWNER);
  } catch (error) {
    // Another process has removed it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Writes a file atomically: to a temporary file, flushed, then renamed into place, readable by its owner only. */
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
