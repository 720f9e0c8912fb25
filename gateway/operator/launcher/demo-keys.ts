/**
 * The keys of the demo account: one to spend, one to manage. Generated before the account exists, and stored in
 * `<data>/secrets/demo.json`, so that every later start shows the same ones.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../../actors/runtime/index.ts';
import { isKeyText, keyId, keyText } from '../../../actors/terms/ids.ts';
import { ConfigError } from '../config/config-error.ts';
import { secretsFolder } from '../config/secrets.ts';
import { writeWhole } from './whole-file.ts';

/** A fixed id that is easy to remember; its keys are random. */
const DEMO_ACCOUNT = 'acct_demo';

/** The texts appear only here, in the banner and in `connection.json`. */
export interface DemoKeys {
  readonly account: string;
  readonly api: DemoKey;
  readonly management: DemoKey;
}

export interface DemoKey {
  readonly id: string;
  readonly text: string;
}

/** Reads the demo keys of this data folder, or generates and stores them. */
export async function openDemoKeys(data: string, random: Random): Promise<DemoKeys> {
  const stored = await readDemoKeys(data);
  if (stored) return stored;
  const made = { account: DEMO_ACCOUNT, api: newKey(random), management: newKey(random) };
  await writeWhole(fileIn(data), `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** The demo keys of an earlier start; null if there are none. */
export async function readDemoKeys(data: string): Promise<DemoKeys | null> {
  const file = fileIn(data);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const stored = parse(text);
  if (!stored) throw new ConfigError(`${file} is damaged; remove it to have new demo keys generated`);
  return stored;
}

function fileIn(data: string): string {
  return join(secretsFolder(data), 'demo.json');
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
