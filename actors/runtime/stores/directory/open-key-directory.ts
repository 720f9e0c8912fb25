/**
 * The KeyStore port over one folder of one host: one file of 32 bytes per hour, readable by its owner only, shared by
 * the node processes. A key is destroyed by overwriting the file before its removal. A medium that keeps old versions
 * of a block (a copy-on-write file system, a snapshot) keeps the bytes as well, so the folder must not be on one.
 */
import { createSecretKey } from 'node:crypto';
import { link, open, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Random } from '../../ports/clock.ts';
import {
  KeyDestroyed,
  type KeyStore,
  KeyStoreUnreachable,
  type KeySweep,
  keyHour,
  type SealingKey,
  UnfitKeyStore,
} from '../../ports/key-store.ts';
import { makeFolder, syncFolder } from './folders.ts';

interface KeyDirectoryOptions {
  /** The folder; created with mode 0700 if it is missing. */
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
}

const KEY_BYTES = 32;
const OTHERS = 0o077;
/** `2026-11-21T16.key`, or the temporary file of a process that ended while creating that hour's key. */
const NAME = /^(\d{4}-\d{2}-\d{2}T\d{2})\.(?:key|[0-9a-f]{16}\.making)$/;
/**
 * Backup tools that support this tag skip the folder. It also distinguishes this folder from the empty mount point of a
 * missing volume: without the tag no key is created and none is reported as destroyed.
 */
const TAG = 'CACHEDIR.TAG';
const TAG_TEXT = 'Signature: 8a477f597d28d172789f06886806bc55\n# Sealing keys. They must never be in any backup.\n';

/**
 * Destroys expired keys, then serves. Rejects with UnfitKeyStore when other users can read the folder, or with
 * KeyStoreUnreachable.
 */
export async function openKeyDirectory(options: KeyDirectoryOptions): Promise<KeyStore> {
  const { path } = options;
  await onDisk(path, async () => {
    makeFolder(path);
    await requirePrivate(path);
    await writeFile(join(path, TAG), TAG_TEXT, { mode: 0o600 });
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
    return onDisk(this.#path, async () => {
      const found = await this.#read(hour);
      if (found) return found;
      await this.#make(hour);
      const made = await this.#read(hour);
      if (made) return made;
      throw new KeyStoreUnreachable(`the key of hour ${hour} was created in ${this.#path} but is missing`);
    });
  }

  async key(hour: number): Promise<SealingKey> {
    if (keyHour.isOver(hour, this.#clock.now())) throw new KeyDestroyed(hour);
    const found = await onDisk(this.#path, async () => {
      const key = await this.#read(hour);
      if (!key) await this.#requireTag();
      return key;
    });
    if (!found) throw new KeyDestroyed(hour);
    return found;
  }

  sweep(): Promise<KeySweep> {
    return onDisk(this.#path, async () => {
      await this.#requireTag();
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

  /** Written to a temporary file and linked into place: the first link wins, and a visible key is complete. */
  async #make(hour: number): Promise<void> {
    await this.#requireTag();
    const name = nameOf(hour);
    const temporary = join(this.#path, `${name}.${Buffer.from(this.#random.bytes(8)).toString('hex')}.making`);
    const bytes = this.#random.bytes(KEY_BYTES);
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      bytes.fill(0);
      await file.close();
    }
    await link(temporary, join(this.#path, `${name}.key`)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await unlink(temporary);
    await syncFolder(this.#path);
  }

  async #requireTag(): Promise<void> {
    await stat(join(this.#path, TAG));
  }
}

/** Returns true for the caller that removed the name. Overwriting also erases other names of the same file. */
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

/** Converts a disk error to the port's error. */
async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new KeyStoreUnreachable(`the key folder ${path} cannot be used (${message})`, { cause: error });
  }
}
