/**
 * The pepper of a data folder belongs to a database: the digests of its keys are made with it. The database keeps a
 * fingerprint, and nodes refuse to start with another pepper, since every key would be unknown.
 */
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Maintenance, Random, Store } from '../../../actors/runtime/index.ts';
import { ConfigError } from './config-error.ts';
import { openSecrets, readPepper, type Secrets, secretsFolder } from './secrets.ts';

const SETTING = 'pepper';

export type PepperFit =
  | 'matches'
  /** The folder has none. */
  | 'missing'
  | 'differs'
  /** The database has no fingerprint: it is new. */
  | 'unknown';

type Settings = Pick<Maintenance, 'setting' | 'replaceSetting'>;

/** A one-way function of the pepper, which has 256 random bits. */
export function fingerprintOf(pepper: Uint8Array): string {
  return createHmac('sha256', pepper).update('troupe pepper fingerprint').digest('hex');
}

/** `data` is the data folder, here and below. */
export async function pepperFit(data: string, maintenance: Settings): Promise<PepperFit> {
  const stored = await maintenance.setting(SETTING);
  if (!hasPepper(data)) return 'missing';
  if (stored === null) return 'unknown';
  return stored === fingerprintOf(await readPepper(data)) ? 'matches' : 'differs';
}

/**
 * The secrets for a node that starts on this store. Makes missing ones, but no pepper for a database that has keys.
 * @throws ConfigError with the two ways to continue.
 */
export async function openSecretsFor(
  store: Pick<Store, 'setting'>,
  {
    data,
    maintenance,
    random,
  }: { readonly data: string; readonly maintenance: () => Promise<Settings>; readonly random: Random },
): Promise<Secrets> {
  // The second look: a node that starts on the same new folder writes its pepper before the fingerprint.
  if (!hasPepper(data) && (await hasFingerprint(await maintenance())) && !hasPepper(data)) {
    throw refusal(data, `${pepperFile(data)} is missing, and the keys of the database need it`);
  }
  const secrets = await openSecrets(data, random);
  const own = fingerprintOf(secrets.pepper);
  if ((await store.setting(SETTING, own)) === own) return secrets;
  throw refusal(data, `${pepperFile(data)} is not the pepper that the keys of the database were made with`);
}

/**
 * Continues with the pepper of this folder, or a new one: keys made with another are void. True if there was another.
 */
export async function acceptPepper(data: string, maintenance: Settings, random: Random): Promise<boolean> {
  const own = fingerprintOf((await openSecrets(data, random)).pepper);
  if ((await maintenance.setting(SETTING)) === own) return false;
  await maintenance.replaceSetting(SETTING, own);
  return true;
}

async function hasFingerprint(maintenance: Settings): Promise<boolean> {
  return (await maintenance.setting(SETTING)) !== null;
}

function refusal(data: string, why: string): ConfigError {
  return new ConfigError(
    `${why}: copy the folder ${secretsFolder(data)} from its backup or from another host of this cluster, or start once with --new-pepper, which voids every key`,
  );
}

function hasPepper(data: string): boolean {
  return existsSync(pepperFile(data));
}

function pepperFile(data: string): string {
  return join(secretsFolder(data), 'pepper');
}
