/**
 * The KeyStore port over one folder of one host: a file of 32 bytes per hour, readable by its owner alone, shared by the
 * node processes. A key is destroyed by writing over it before its name goes. On a medium that keeps old versions of a
 * block (a copying file system, a snapshot) the bytes live as long as those do: the folder belongs on none.
 */
import { createSecretKey } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyHour } from '../../bytes/key-hour.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  KeyDestroyed,
  type KeyStore,
  KeyStoreUnreachable,
  type KeySweep,
  type SealingKey,
  UnfitKeyStore,
} from '../../ports/key-store.ts';
import type { Random } from '../../ports/random.ts';
import { syncFolder } from './sync-folder.ts';

export interface KeyDirectoryOptions {
  /** The folder; made with mode 0700 if it is missing. */
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
}

const KEY_BYTES = 32;
const OTHERS = 0o077;
/** `2026-11-21T16.key`, or a key of that hour which a process was making when it ended. */
const NAME = /^(\d{4}-\d{2}-\d{2}T\d{2})\.(?:key|[0-9a-f]{16}\.making)$/;
/**
 * Backup tools that know this sign leave the folder out. It also tells this folder from the empty mount point of a
 * volume that is not there: without the sign nothing is made and nothing is called destroyed.
 */
const SIGN = 'CACHEDIR.TAG';
const SIGN_TEXT = 'Signature: 8a477f597d28d172789f06886806bc55\n# Sealing keys. They must never be in any backup.\n';

/** Destroys what is over, then serves. Rejects with UnfitKeyStore when others may read the folder, or KeyStoreUnreachable. */
export async function openKeyDirectory(options: KeyDirectoryOptions): Promise<KeyStore> {
  const { path } = options;
  await reach(path, async () => {
    await mkdir(path, { recursive: true, mode: 0o700 });
    await requirePrivate(path);
    await writeFile(join(path, SIGN), SIGN_TEXT, { mode: 0o600 });
    await syncFolder(path);
  });
  const keys = new KeyDirectory(options);
  await keys.sweep();
  return keys;
}

class KeyDirectory implements KeyStore {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor({ path, clock, random }: KeyDirectoryOptions) {
    this.#path = path;
    this.#clock = clock;
    this.#random = random;
  }

  async current(): Promise<SealingKey> {
    const hour = keyHour.at(this.#clock.now());
    return reach(this.#path, async () => {
      const found = await this.#read(hour);
      if (found) return found;
      await this.#make(hour);
      const made = await this.#read(hour);
      if (made) return made;
      throw new KeyStoreUnreachable(`the key of hour ${hour} was made in ${this.#path} and is not there`);
    });
  }

  async key(hour: number): Promise<SealingKey> {
    if (keyHour.isOver(hour, this.#clock.now())) throw new KeyDestroyed(hour);
    const found = await reach(this.#path, async () => {
      const key = await this.#read(hour);
      if (!key) await this.#requireSign();
      return key;
    });
    if (!found) throw new KeyDestroyed(hour);
    return found;
  }

  sweep(): Promise<KeySweep> {
    return reach(this.#path, async () => {
      await this.#requireSign();
      const hours = (await readdir(this.#path)).flatMap((name) => {
        const hour = hourIn(name);
        return hour === null ? [] : [{ name, hour }];
      });
      const now = this.#clock.now();
      const over = hours.filter(({ hour }) => keyHour.isOver(hour, now));
      let destroyed = 0;
      for (const { name } of over) if (await destroy(join(this.#path, name))) destroyed++;
      if (over.length > 0) await syncFolder(this.#path);
      return { destroyed, kept: hours.length - over.length };
    });
  }

  async close(): Promise<void> {}

  async #read(hour: number): Promise<SealingKey | null> {
    let bytes: Buffer;
    try {
      bytes = await readFile(join(this.#path, `${nameOf(hour)}.key`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    if (bytes.length !== KEY_BYTES)
      throw new KeyStoreUnreachable(`the key of hour ${hour} in ${this.#path} is damaged`);
    const secret = createSecretKey(bytes);
    bytes.fill(0);
    return { hour, secret };
  }

  /** Made aside and linked into place: the first to link wins, and whoever sees the name sees all of the key. */
  async #make(hour: number): Promise<void> {
    await this.#requireSign();
    const name = nameOf(hour);
    const aside = join(this.#path, `${name}.${Buffer.from(this.#random.bytes(8)).toString('hex')}.making`);
    const bytes = this.#random.bytes(KEY_BYTES);
    const file = await open(aside, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      bytes.fill(0);
      await file.close();
    }
    await link(aside, join(this.#path, `${name}.key`)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await unlink(aside);
    await syncFolder(this.#path);
  }

  async #requireSign(): Promise<void> {
    await stat(join(this.#path, SIGN));
  }
}

/** True for the one who removed the name. Other names of the same bytes lose them too. */
async function destroy(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r+');
    try {
      await file.write(new Uint8Array(KEY_BYTES), 0, KEY_BYTES, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await unlink(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function requirePrivate(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const { mode, uid } = await stat(path);
  if ((mode & OTHERS) !== 0) {
    const shown = (mode & 0o777).toString(8);
    throw new UnfitKeyStore(`the key folder ${path} may be read by others (mode ${shown}): chmod 700 it`);
  }
  if (uid !== process.getuid?.()) {
    throw new UnfitKeyStore(`the key folder ${path} belongs to user ${uid}: give it to the user the nodes run as`);
  }
}

function nameOf(hour: number): string {
  return new Date(hour * keyHour.ms).toISOString().slice(0, 13);
}

function hourIn(name: string): number | null {
  const hour = NAME.exec(name)?.[1];
  return hour === undefined ? null : keyHour.at(Date.parse(`${hour}:00:00Z`));
}

/** What the disk said becomes the port's error. */
async function reach<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new KeyStoreUnreachable(`the key folder ${path} cannot be used (${message})`, { cause: error });
  }
}
