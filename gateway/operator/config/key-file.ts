/** A provider's API key in a file of its own: read with its rights checked; its content is never part of a message. */
import { open } from 'node:fs/promises';
import { ConfigError } from './config-error.ts';

const KEY_BYTES_MAX = 8 * 1024;
/** Others may not read it, and only its owner may write it. A group may read it: secrets are mounted so. */
const RIGHTS_REFUSED = 0o027;

/** Changes with every change of the file. */
export type KeyStamp = string;

interface KeyRead {
  readonly key: string;
  readonly stamp: KeyStamp;
}

/** `member` names the file's place in the configuration. @throws ConfigError */
export async function readKeyFile(path: string, member: string): Promise<KeyRead> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(
      `${member}: ${path} ${error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`}`,
    );
  });
  try {
    const seen = await handle.stat({ bigint: true });
    if (!seen.isFile()) throw new ConfigError(`${member}: ${path} is not a file`);
    if ((Number(seen.mode) & RIGHTS_REFUSED) !== 0) {
      const mode = (Number(seen.mode) & 0o777).toString(8).padStart(4, '0');
      throw new ConfigError(
        `${member}: ${path} has mode ${mode}, so that other users have access; run chmod 600 ${path}`,
      );
    }
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(KEY_BYTES_MAX + 1), 0, KEY_BYTES_MAX + 1, 0);
    if (bytesRead > KEY_BYTES_MAX) throw new ConfigError(`${member}: ${path} is longer than ${KEY_BYTES_MAX} bytes`);
    return { key: keyIn(buffer.toString('utf8', 0, bytesRead), path, member), stamp: stampOf(seen) };
  } finally {
    await handle.close();
  }
}

function keyIn(text: string, path: string, member: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key) || isObject(key)) return key;
  const fault = key === '' ? 'is empty' : 'has blanks, several lines or characters that no header takes';
  throw new ConfigError(`${member}: ${path} ${fault}; write the key alone into it`);
}

/** A key with several members, as the key file of a service account is: no header, but what one is made from. */
function isObject(text: string): boolean {
  try {
    return text.startsWith('{') && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

interface Seen {
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly size: bigint;
  readonly mode: bigint;
}

export function stampOf({ ino, mtimeNs, size, mode }: Seen): KeyStamp {
  return `${ino} ${mtimeNs} ${size} ${mode}`;
}
