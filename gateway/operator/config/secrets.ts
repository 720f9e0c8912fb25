/**
 * The secrets of a data folder, each in a file of its own that only its owner may read: generated once at random and
 * reused by every later start. They never enter the database, a log, or the configuration.
 */
import { existsSync } from 'node:fs';
import { chmod, link, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, type Random } from '../../../actors/runtime/index.ts';
import { ConfigError, lineOf } from './config-error.ts';

export interface Secrets {
  /** Mixed into every stored key digest; without it no key of this folder can be verified. 32 bytes. */
  readonly pepper: Uint8Array;
  /** Authenticates operators to a node. */
  readonly operatorToken: string;
  /** Authenticates those who only read at the operator port. */
  readonly viewerToken: string;
  /** Authenticates the nodes to each other. */
  readonly clusterSecret: string;
}

const BYTES = 32;
const SHAPE = /^[0-9a-f]{64}$/;

export function secretsFolder(data: string): string {
  return join(data, 'secrets');
}

/** Reads the secrets under `<data>/secrets` and creates missing ones. Safe for several processes at once. */
export async function openSecrets(data: string, random: Random): Promise<Secrets> {
  const folder = secretsFolder(data);
  makeFolder(folder);
  await chmod(folder, 0o700);
  const [pepper, operatorToken, viewerToken, clusterSecret] = await Promise.all([
    secretAt(join(folder, 'pepper'), random),
    secretAt(join(folder, 'operator-token'), random),
    secretAt(join(folder, 'viewer-token'), random),
    secretAt(join(folder, 'cluster-secret'), random),
  ]);
  return { pepper: Buffer.from(pepper, 'hex'), operatorToken, viewerToken, clusterSecret };
}

/**
 * The pepper of an existing data folder. Throws ConfigError if it is missing: a new one would match no running node.
 */
export async function readPepper(data: string): Promise<Uint8Array> {
  return Buffer.from(await readSecret(join(secretsFolder(data), 'pepper')), 'hex');
}

/** The token of a role in an existing data folder, for commands. @throws ConfigError */
export async function readToken(data: string, role: 'operator' | 'viewer'): Promise<string> {
  const file = join(secretsFolder(data), `${role}-token`);
  if (existsSync(file)) return readSecret(file);
  throw new ConfigError(
    `${file} is missing, and nodes answer only with it; copy the folder ${secretsFolder(data)} from a host of the cluster, or name the data folder with --data DIR`,
  );
}

async function secretAt(file: string, random: Random): Promise<string> {
  return existsSync(file) ? readSecret(file) : makeSecret(file, random);
}

/** Written to a temporary file and linked into place: readers see a complete file, and the first link wins. */
async function makeSecret(file: string, random: Random): Promise<string> {
  const temporary = `${file}.${Buffer.from(random.bytes(8)).toString('hex')}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(`${Buffer.from(random.bytes(BYTES)).toString('hex')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(temporary);
  return readSecret(file);
}

async function readSecret(file: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new ConfigError(
      `${file}: cannot be read (${lineOf(error)}); start the cluster first, or restore the file from a backup`,
    );
  }
  if (SHAPE.test(text)) return text;
  throw new ConfigError(
    `${file}: must be 64 hex digits; restore it from a backup, or remove the data folder to start from nothing`,
  );
}
