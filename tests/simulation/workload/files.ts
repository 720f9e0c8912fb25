import { createHash } from 'node:crypto';
import { createAccount } from '../../../actors/account/account.ts';
import { deleteFile } from '../../../actors/file/file.ts';
import { AskError } from '../../../actors/runtime/index.ts';
import { BlobCorrupt, BlobMissing, BlobsRefused } from '../../../actors/runtime/ports/blobs.ts';
import config from '../../../cluster.config.ts';
import type { FileServices } from '../../../gateway/files/file-services.ts';
import { readFile, requireFile } from '../../../gateway/files/read-file.ts';
import { storeUpload } from '../../../gateway/files/store-upload.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { FileDeletion, FileEvidence, FileRead, UploadSeen } from '../../support/auditor/file-evidence.ts';
import { noLiveTraffic } from '../../support/memory-files.ts';
import type { History } from '../history.ts';
import type { ByteWorld } from '../world/byte-world.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import { type Client, pause } from './client.ts';
import { FileCopies } from './file-copies.ts';

const ACCOUNT = 'acct_files';
const STRANGER = 'acct_stranger';
const SETUP_MS = 30_000;
const ASK_MS_MAX = 4_000;
const UPLOADS_MAX = 24;
const PIECE_MS_MAX = 400;
/** Around the size of a segment, so that files have one, two and three. */
const PIECES_BYTES = [1, 2_000, 32_768, 65_536];
/** A few files of these sizes fill the account. */
const ACCOUNT_BYTES_MAX = 500_000;
/** Some files end during the run; the longest lifetime is the product's. */
const LIFETIMES_MS = [4_000, 15_000, null];
const UNKNOWN = [`file_${'0'.repeat(32)}`, 'file_1'];
const STATUS_BROKEN = 500;

/** Files of one account: uploaded, read and deleted on any node by the gateway's own functions, with a stranger's requests. */
export class Files {
  readonly account = `account:${ACCOUNT}`;
  readonly #uploads: UploadSeen[] = [];
  readonly #reads: FileRead[] = [];
  readonly #deletions: FileDeletion[] = [];
  readonly #history: History;
  readonly #database: Database;
  readonly #bytes: ByteWorld;
  readonly #copies: FileCopies;

  constructor(history: History, database: Database, bytes: ByteWorld) {
    this.#history = history;
    this.#database = database;
    this.#bytes = bytes;
    this.#copies = new FileCopies(database, bytes);
  }

  /** Setup, before any fault. */
  async open(client: Client): Promise<void> {
    await createAccount(client.node, this.account, 'files', SETUP_MS);
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const known = this.#uploads.flatMap(({ id }) => (id === null ? [] : [id]));
    if (this.#uploads.length < UPLOADS_MAX && dice.happens(0.4)) return this.#upload(client);
    const id = known.length === 0 || dice.happens(0.1) ? dice.pick(UNKNOWN) : dice.pick(known);
    if (dice.happens(0.15)) return this.#remove(client, id);
    await this.#read(client, dice.happens(0.2) ? STRANGER : ACCOUNT, id, dice.happens(0.5) ? 'content' : 'record');
  }

  async #upload(client: Client): Promise<void> {
    const { dice } = client;
    const filename = `file${this.#uploads.length + 1}.txt`;
    const pieces = Array.from({ length: dice.whole(0, 3) }, () => text(dice));
    const lifetimeMs = dice.pick(LIFETIMES_MS);
    const withinMs = dice.between(300, ASK_MS_MAX);
    const asked: UploadSeen = {
      ...{ account: ACCOUNT, filename, digest: digestOf(pieces), at: this.#database.now() },
      ...{ endAt: Number.POSITIVE_INFINITY, status: null, id: null, endsAt: null },
    };
    const slot = this.#uploads.push(asked) - 1;
    this.#history.note('upload', { filename, pieces: pieces.length, lifetimeMs, client: client.name });
    const ending = await this.#endingOf(
      storeUpload(this.#services(client, withinMs), {
        ...{ account: ACCOUNT, source: slowly(client, pieces) },
        describe: () => ({ filename, purpose: 'user_data', lifetimeMs }),
      }),
    );
    const { status, body: file } = ending;
    this.#history.note('upload ended', { filename, status, id: file?.id });
    if (status === 403) this.#history.saw('upload refused for storage');
    if (status === 503) this.#history.saw('upload refused without keys or blobs');
    const endAt = this.#database.now();
    this.#uploads[slot] = { ...asked, endAt, status, id: file?.id ?? null, endsAt: file?.expiresAt ?? null };
    if (file) this.#copies.keep(file);
  }

  async #read(client: Client, account: string, id: string, way: 'record' | 'content'): Promise<void> {
    const at = this.#database.now();
    const services = this.#services(client, ASK_MS_MAX);
    const ending = await this.#endingOf(
      (async () => {
        const file = await requireFile(services, account, id);
        return way === 'record' ? null : digestOf(await collect(await readFile(services, file)));
      })(),
    );
    const { status, body: digest, refusal } = ending;
    if (status === 404 && account === ACCOUNT && this.#isOver(id)) this.#history.saw('expired file not found');
    this.#reads.push({ account, id, way, at, endAt: this.#database.now(), status, digest, refusal });
  }

  #isOver(id: string): boolean {
    const upload = this.#uploads.find((each) => each.id === id);
    return upload?.endsAt != null && upload.endsAt < this.#database.now();
  }

  async #remove(client: Client, id: string): Promise<void> {
    const services = this.#services(client, ASK_MS_MAX);
    const asked: FileDeletion = {
      ...{ account: ACCOUNT, id, at: this.#database.now(), endAt: Number.POSITIVE_INFINITY, status: null },
    };
    const slot = this.#deletions.push(asked) - 1;
    const withinMs = client.dice.between(300, ASK_MS_MAX);
    const ending = await this.#endingOf(
      (async () => deleteFile(client.node, await requireFile(services, ACCOUNT, id), withinMs))(),
    );
    const status = ending.body === false ? 404 : ending.status;
    if (status === 200) this.#history.saw('file deleted');
    this.#history.note('deletion', { id, status });
    this.#deletions[slot] = { ...asked, endAt: this.#database.now(), status };
  }

  /** The status that the edge would answer; null if the request may have taken effect. */
  async #endingOf<T>(work: Promise<T>): Promise<Ending<T>> {
    try {
      return { status: 200, body: await work, refusal: null };
    } catch (thrown) {
      const failed = { body: null, refusal: null };
      if (thrown instanceof GatewayError)
        return { ...failed, status: thrown.status, refusal: thrown.status === 404 ? thrown.message : null };
      if (thrown instanceof AskError) return { ...failed, status: thrown.mayHaveHappened ? null : 503 };
      if (thrown instanceof BlobsRefused) return { ...failed, status: 503 };
      // A readable file whose bytes are gone or damaged: no fault of the world does that.
      if (thrown instanceof BlobMissing || thrown instanceof BlobCorrupt) return { ...failed, status: 404 };
      this.#history.note('file request failed', { error: String(thrown) });
      return { ...failed, status: STATUS_BROKEN };
    }
  }

  #services({ node, clock, dice, bytes }: Client, askMs: number): FileServices {
    if (bytes === null) throw new Error('the process has no byte stores');
    const limits = { ...config.files, accountBytesMax: ACCOUNT_BYTES_MAX };
    return { ...{ cluster: node, bytes, clock, random: dice, askMs }, limits, background: noLiveTraffic(clock) };
  }

  /** Reads every acknowledged file and record, once the run is quiet. */
  async conclude(client: Client): Promise<void> {
    for (const { id } of this.#uploads) {
      if (id === null) continue;
      await this.#read(client, ACCOUNT, id, 'content');
      await this.#read(client, STRANGER, id, 'record');
    }
  }

  /** Tries to open the backup and the live blobs with the keys as they are now, at every place. */
  attempt(): Promise<void> {
    return this.#copies.attempt();
  }

  /** Files that are over but still have a row, keys that are over but still exist, and blobs that nothing refers to. */
  get remains(): readonly string[] {
    return this.#copies.remains();
  }

  get evidence(): FileEvidence {
    const stored = this.#copies.stored();
    return {
      ...{ uploads: this.#uploads, reads: this.#reads, deletions: this.#deletions, refusals: [] },
      ...{ keyless: this.#bytes.keyless, openings: this.#copies.openings, keyAgesHours: this.#copies.keyAgesHours },
      stored: stored.map(({ id, account, filename }) => ({ id, account, filename })),
      storedAt: this.#database.now(),
      storage: [
        {
          ...{ account: ACCOUNT, bytesMax: ACCOUNT_BYTES_MAX, counted: this.#countedBytes() },
          stored: stored.filter(({ account }) => account === ACCOUNT).reduce((sum, { bytes }) => sum + bytes, 0),
        },
      ],
      ...{ searched: this.#copies.search(this.#history.lines), slackMs: SLACK_MS },
    };
  }

  #countedBytes(): number {
    const actor = this.#database.tables.loadActor(this.account)?.actor;
    if (actor === undefined) return 0;
    return (JSON.parse(actor.snapshot) as { context: { storedBytes: number } }).context.storedBytes;
  }
}

/** Each node extrapolates store time between heartbeats. */
const SLACK_MS = 100;

interface Ending<T> {
  readonly status: number | null;
  readonly body: T | null;
  readonly refusal: string | null;
}

/** The pieces with pauses, so that faults strike during an upload. */
async function* slowly(client: Client, pieces: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  for (const piece of pieces) {
    await pause(client, client.dice.between(0, PIECE_MS_MAX));
    yield piece;
  }
}

function text(dice: Dice): Uint8Array {
  return Buffer.alloc(dice.pick(PIECES_BYTES) - dice.whole(0, 1), `${dice.whole(0, 1e9)} `);
}

function digestOf(pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(Uint8Array.from(piece));
  return pieces;
}
