import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { FileRecord } from '../../actors/file/file-record.ts';
import { openBlob, type SealPlace } from '../../actors/runtime/index.ts';
import type { Blobs } from '../../actors/runtime/ports/blobs.ts';
import type { KeyStore } from '../../actors/runtime/ports/key-store.ts';
import { openBlobDirectory } from '../../actors/runtime/stores/directory/open-blob-directory.ts';
import { openKeyDirectory } from '../../actors/runtime/stores/directory/open-key-directory.ts';
import { systemClock, systemRandom } from '../../actors/runtime/system/clock.ts';
import { placeOfFile } from '../../gateway/files/file-services.ts';
import type { FileEvidence, Opening } from '../support/auditor/file-evidence.ts';

type Sealing = Pick<FileEvidence, 'openings' | 'keyAgesHours' | 'searched'>;

const HOUR_MS = 3_600_000;
/** Within the files' life, within that of every key, and past it. */
const AGES_HOURS = [0, 48, 50.01];
const FILES_MAX = 20;
const SEARCHED_BYTES_MAX = 256 * 1024 * 1024;
const BLOB_BYTES_MAX = 64 * 1024 * 1024;
const KEY_NAME = /^(\d{4}-\d{2}-\d{2}T\d{2})\.key$/;

/** What can be opened of a stopped cluster's data folder, now and with its key folder at later times. */
export async function sealingEvidence(data: string, files: readonly FileRecord[]): Promise<Sealing> {
  const blobs = await openBlobDirectory({ ...ports(0), path: join(data, 'blobs'), bytesMax: BLOB_BYTES_MAX });
  const openings: Opening[] = [];
  for (const ageHours of AGES_HOURS) {
    const copy = mkdtempSync(join(tmpdir(), 'troupe-keys-'));
    cpSync(join(data, 'keys'), join(copy, 'keys'), { recursive: true });
    const keys = await openKeyDirectory({ ...ports(ageHours), path: join(copy, 'keys') });
    for (const file of files.slice(0, FILES_MAX)) {
      for (const [place, where] of placesOf(file))
        openings.push({ id: file.id, ageHours, place, opened: await opens(keys, blobs, where, file) });
    }
    rmSync(copy, { recursive: true });
  }
  return { openings, keyAgesHours: agesOf(join(data, 'keys')), searched: search(data) };
}

function ports(ageHours: number): { clock: typeof systemClock; random: typeof systemRandom } {
  const now = (): number => systemClock.now() + ageHours * HOUR_MS;
  return { clock: { ...systemClock, now }, random: systemRandom };
}

function placesOf({ account, id }: FileRecord): readonly (readonly [Opening['place'], SealPlace])[] {
  const own = placeOfFile(account, id);
  return [
    ['own', own],
    ['other account', { ...own, owner: `${account}x` }],
    ['other object', { ...own, object: `${id.slice(0, -1)}_` }],
    ['other kind', { ...own, kind: 'reply' }],
  ];
}

async function opens(keys: KeyStore, blobs: Blobs, place: SealPlace, file: FileRecord): Promise<boolean> {
  try {
    let bytes = 0;
    for await (const piece of blobs.read(await openBlob(keys, place, file.blob))) bytes += piece.length;
    return bytes === file.bytes;
  } catch {
    return false;
  }
}

function keysIn(folder: string): readonly { readonly hour: number; readonly bytes: Buffer }[] {
  return readdirSync(folder).flatMap((name) => {
    const hour = KEY_NAME.exec(name)?.[1];
    return hour === undefined ? [] : [{ hour: Date.parse(`${hour}:00:00Z`), bytes: readFileSync(join(folder, name)) }];
  });
}

function agesOf(folder: string): readonly number[] {
  return keysIn(folder).map(({ hour }) => (Date.now() - hour) / HOUR_MS);
}

/** Looks for each key, raw and as text, in every file outside the key folder. */
function search(data: string): FileEvidence['searched'] {
  const forms = keysIn(join(data, 'keys')).flatMap(({ bytes }) => [
    ...[bytes, Buffer.from(bytes.toString('hex')), Buffer.from(bytes.toString('base64').slice(0, -1))],
    Buffer.from(bytes.toString('base64url')),
  ]);
  return readdirSync(data, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(data, name);
    const stat = statSync(path);
    if (!stat.isFile() || name.startsWith('keys') || stat.size > SEARCHED_BYTES_MAX) return [];
    const content = readFileSync(path);
    return [{ file: relative(data, path), found: forms.some((form) => content.includes(form)) }];
  });
}
