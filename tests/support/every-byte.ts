import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The bytes of every file in a folder and below it, as an attacker who copies the folder has them. */
export function everyByte(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return Buffer.concat(files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)));
}
