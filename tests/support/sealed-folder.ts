/**
 * The data folder of a node, for encryption tests: rows in SQLite, blobs and keys in their folders, on one clock. One
 * record is a sealed text in a row and a sealed file in a blob that the row refers to.
 */
import { join } from 'node:path';
import { openBlob, openValue, type SealedBlob, sealBlob, sealValue } from '../../actors/runtime/bytes/seal.ts';
import type { Blobs, ByteRange } from '../../actors/runtime/ports/blobs.ts';
import type { Clock } from '../../actors/runtime/ports/clock.ts';
import type { KeyStore } from '../../actors/runtime/ports/key-store.ts';
import type { Store } from '../../actors/runtime/ports/store.ts';
import { openByteFolders } from '../../actors/runtime/stores/open/byte-stores.ts';
import { openSqliteStore } from '../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemRandom } from '../../actors/runtime/system/clock.ts';
import { own, row, SHARDS, write } from '../contracts/store/records.ts';
import { pieces } from './pieces.ts';

const BLOB_BYTES_MAX = 64 * 1024 * 1024;

export interface SealedRecord {
  readonly account: string;
  readonly id: string;
  readonly text: string;
  readonly file: Uint8Array;
}

interface Body {
  readonly sealed: string;
  readonly blob: SealedBlob;
}

export class SealedFolder {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly keys: KeyStore;
  #fence: { owner: string; epoch: number } | null = null;

  private constructor(store: Store, blobs: Blobs, keys: KeyStore) {
    [this.store, this.blobs, this.keys] = [store, blobs, keys];
  }

  /** Opens a folder, or a copy of one under any clock, as a thief of the copy would. */
  static async open(data: string, clock: Clock): Promise<SealedFolder> {
    const ports = { clock, random: systemRandom };
    const store = await openSqliteStore({
      path: join(data, 'troupe.db'),
      shards: SHARDS,
      busyBoundMs: 2_000,
      ...ports,
    });
    const { blobs, keys } = await openByteFolders({ data, blobBytesMax: BLOB_BYTES_MAX, ...ports });
    return new SealedFolder(store, blobs, keys);
  }

  /** Stores the key first, then the file, then the commit that refers to it: a failure leaves no partial record. */
  async keep({ account, id, text, file }: SealedRecord): Promise<void> {
    const key = await this.keys.current();
    const place = { owner: account, object: id, kind: 'text' };
    const sealed = sealValue(key, place, Buffer.from(text), systemRandom).toString('base64');
    const blob = sealBlob(key, { ...place, kind: 'file' }, await this.blobs.put(pieces.of(file)), systemRandom);
    const body: Body = { sealed, blob };
    const kept = row(id, { address: account, collection: 'files', index: [blob.id], body: JSON.stringify(body) });
    await this.put([kept]);
  }

  async put(rowsPut: readonly ReturnType<typeof row>[]): Promise<void> {
    this.#fence ??= await own(this.store, 'writer');
    const [verdict] = await this.store.commit([write(this.#fence, { rowsPut })]);
    if (!verdict?.committed) throw new Error('the commit was refused');
  }

  async text(account: string, id: string, keys: KeyStore = this.keys): Promise<string> {
    const { sealed } = await this.#body(account, id);
    return String(await openValue(keys, { owner: account, object: id, kind: 'text' }, Buffer.from(sealed, 'base64')));
  }

  async file(account: string, id: string, keys: KeyStore = this.keys, range?: ByteRange): Promise<Buffer> {
    const { blob } = await this.#body(account, id);
    const opened = await openBlob(keys, { owner: account, object: id, kind: 'file' }, blob);
    return pieces.gather(this.blobs.read(opened, range));
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.blobs.close();
    await this.keys.close();
  }

  async #body(address: string, id: string): Promise<Body> {
    const found = await this.store.row({ address, collection: 'files', id });
    if (!found) throw new Error(`there is no record ${id} of ${address}`);
    return JSON.parse(found.body) as Body;
  }
}
