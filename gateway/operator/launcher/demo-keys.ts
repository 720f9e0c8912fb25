/**
 * The keys a newcomer starts with: one to spend, one to manage. Made before their account, and kept in
 * `<data>/secrets/demo.json`, so that every later start shows the same ones.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../../actors/runtime/index.ts';
import { isKeyText, keyId, keyText } from '../../../actors/terms/ids.ts';
import { ConfigError } from '../config/config-error.ts';
import { secretsFolder } from '../config/secrets.ts';
import { writeWhole } from './whole-file.ts';

/** One id that a person can remember; its keys are as random as any. */
const DEMO_ACCOUNT = 'acct_demo';

/** The texts are known only here, to the banner and to `connection.json`. */
export interface DemoKeys {
  readonly account: string;
  readonly api: DemoKey;
  readonly management: DemoKey;
}

export interface DemoKey {
  readonly id: string;
  readonly text: string;
}

/** Reads the demo keys of this data folder, or makes and keeps them. */
export async function openDemoKeys(data: string, random: Random): Promise<DemoKeys> {
  const file = join(secretsFolder(data), 'demo.json');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) {
    const made = { account: DEMO_ACCOUNT, api: newKey(random), management: newKey(random) };
    await writeWhole(file, `${JSON.stringify(made, null, 2)}\n`);
    return made;
  }
  const kept = parse(text);
  if (!kept) throw new ConfigError(`${file} is damaged; remove it to have new demo keys made`);
  return kept;
}

function parse(text: string): DemoKeys | null {
  try {
    const kept = JSON.parse(text) as DemoKeys;
    const whole = isKeyText(kept.api.text) && isKeyText(kept.management.text) && typeof kept.account === 'string';
    return whole ? kept : null;
  } catch {
    return null;
  }
}

function newKey(random: Random): DemoKey {
  return { id: keyId(random), text: keyText(random) };
}
