/**
 * The keys of the demo's accounts: one to spend, one to manage. Generated before the account exists, and stored in
 * `<data>/secrets/`, so that every later start shows the same ones.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../../actors/runtime/index.ts';
import { isKeyText, keyId, keyText } from '../../../actors/terms/ids.ts';
import { ConfigError } from '../config/config-error.ts';
import { secretsFolder } from '../config/secrets.ts';
import { writeWhole } from './private-files.ts';

/** An account of the demo: a fixed id that is easy to remember; its keys are random. */
export interface DemoOwner {
  readonly account: string;
  readonly name: string;
  /** Requests a minute of its key; null: the configured default. */
  readonly perMinute: number | null;
  /** The file of its keys. */
  readonly file: string;
}

/** Belongs to the person who tries the demo; nothing else spends from it. */
export const DEMO: DemoOwner = { account: 'acct_demo', name: 'Demo', perMinute: null, file: 'demo.json' };
/** Belongs to the simulated customers. */
export const CUSTOMERS: DemoOwner = {
  account: 'acct_customers',
  name: 'Simulated customers',
  perMinute: 600,
  file: 'customers.json',
};

/** The texts appear only here, in the banner and in `connection.json`. */
export interface DemoKeys {
  readonly account: string;
  readonly name: string;
  readonly perMinute: number | null;
  readonly api: DemoKey;
  readonly management: DemoKey;
}

export interface DemoKey {
  readonly id: string;
  readonly text: string;
}

/** Reads the keys of this data folder, or generates and stores them. */
export async function openDemoKeys(data: string, owner: DemoOwner, random: Random): Promise<DemoKeys> {
  const stored = await readDemoKeys(data, owner);
  if (stored) return stored;
  const { account, name, perMinute } = owner;
  const made = { account, name, perMinute, api: newKey(random), management: newKey(random) };
  await writeWhole(fileIn(data, owner), `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** The keys of an earlier start; null if there are none. */
export async function readDemoKeys(data: string, owner: DemoOwner): Promise<DemoKeys | null> {
  const file = fileIn(data, owner);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const stored = parse(text);
  if (!stored) throw new ConfigError(`${file} is damaged; remove it to have new demo keys generated`);
  return stored;
}

function fileIn(data: string, { file }: DemoOwner): string {
  return join(secretsFolder(data), file);
}

function parse(text: string): DemoKeys | null {
  try {
    const stored = JSON.parse(text) as DemoKeys;
    const whole = isKeyText(stored.api.text) && isKeyText(stored.management.text) && typeof stored.account === 'string';
    return whole ? stored : null;
  } catch {
    return null;
  }
}

function newKey(random: Random): DemoKey {
  return { id: keyId(random), text: keyText(random) };
}
