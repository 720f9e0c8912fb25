import type { FileRecord } from '../../../actors/file/file-record.ts';
import { openBlob, type SealPlace } from '../../../actors/runtime/index.ts';
import { keyHour } from '../../../actors/runtime/ports/key-store.ts';
import { placeOfFile } from '../../../gateway/files/file-services.ts';
import type { Opening } from '../../support/auditor/file-evidence.ts';
import type { ByteWorld } from '../world/byte-world.ts';
import type { Database } from '../world/database.ts';

const ROWS_MAX = 1_000;
const KEY_BYTES = 32;
const REFERENCES = ['file', 'batch'];

/** Copies of every acknowledged file as a backup holds them, and what can be opened of them. */
export class FileCopies {
  readonly openings: Opening[] = [];
  readonly keyAgesHours: number[] = [];
  readonly #copies: FileRecord[] = [];
  /** The bytes of all keys there ever were. */
  readonly #secrets = new Set<string>();
  readonly #database: Database;
  readonly #bytes: ByteWorld;

  constructor(database: Database, bytes: ByteWorld) {
    this.#database = database;
    this.#bytes = bytes;
  }

  keep(file: FileRecord): void {
    this.#copies.push(file);
    this.#bytes.copy(file.blob.id);
    this.#noteKeys();
  }

  /** Opens each copy at its own place and at three others, with the keys that exist now. */
  async attempt(): Promise<void> {
    this.#noteKeys();
    const now = this.#database.now();
    for (const file of this.#copies) {
      const ageHours = (now - file.createdAt) / keyHour.ms;
      for (const [place, where] of placesOf(file))
        this.openings.push({ id: file.id, ageHours, place, opened: await this.#opens(where, file) });
    }
    this.keyAgesHours.push(...this.#bytes.keys.hours.map((hour) => now / keyHour.ms - hour));
  }

  async #opens(where: SealPlace, file: FileRecord): Promise<boolean> {
    try {
      let bytes = 0;
      const blob = await openBlob(this.#bytes.keys, where, file.blob);
      for await (const piece of this.#bytes.backup.read(blob)) bytes += piece.length;
      return bytes === file.bytes;
    } catch {
      return false;
    }
  }

  #noteKeys(): void {
    const all = this.#bytes.keys.contents();
    for (let at = 0; at < all.length; at += KEY_BYTES)
      this.#secrets.add(all.subarray(at, at + KEY_BYTES).toString('hex'));
  }

  stored(): readonly FileRecord[] {
    const rows = this.#database.tables.query({ collection: 'file', limit: ROWS_MAX });
    return rows.map(({ body }) => JSON.parse(body) as FileRecord);
  }

  /** What should be gone by now and is not. */
  remains(): readonly string[] {
    const now = this.#database.now();
    const stored = this.stored();
    const overdue = stored.filter(({ expiresAt }) => expiresAt < now).map(({ id }) => `row of ${id}`);
    const keys = this.#bytes.keys.hours.filter((hour) => keyHour.isOver(hour, now)).map((hour) => `key of ${hour}`);
    const referred = new Set(stored.map(({ blob }) => blob.id));
    const { ids, unfinished } = this.#bytes.blobs;
    const orphans = ids.filter((id) => !referred.has(id)).map((id) => `blob ${id}`);
    return [...overdue, ...keys, ...orphans, ...(unfinished > 0 ? ['unfinished blobs'] : [])];
  }

  /** Looks for each key, in all usual forms, in the rows, the snapshots and these lines. */
  search(lines: readonly string[]): readonly { readonly file: string; readonly found: boolean }[] {
    const { tables } = this.#database;
    const rows = REFERENCES.flatMap((collection) => tables.query({ collection, limit: ROWS_MAX }));
    const addresses = new Set(rows.map(({ address }) => address));
    const snapshots = [...addresses].map((address) => tables.loadActor(address)?.actor.snapshot ?? '');
    const texts = { rows: rows.map(({ body }) => body), snapshots, history: lines };
    const forms = [...this.#secrets].flatMap((hex) => {
      const key = Buffer.from(hex, 'hex');
      return [hex, key.toString('base64').slice(0, -1), key.toString('base64url')];
    });
    return Object.entries(texts).map(([file, all]) => {
      const text = all.join('\n');
      return { file, found: forms.some((form) => text.includes(form)) };
    });
  }
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
