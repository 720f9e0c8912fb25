import type { FileRecord } from '../../actors/file/file-record.ts';
import { ownerOf } from '../../actors/runtime/index.ts';
import type { Modality } from '../../actors/terms/endpoint.ts';
import type { FileRoom, FileServices } from '../files/file-services.ts';
import { findStored, readFile } from '../files/read-file.ts';
import type { Caller } from '../terms/caller.ts';
import { GatewayError, notFound } from '../terms/gateway-error.ts';
import type { ContentPart, FileReference, MediaPart, Turn, TurnMessage } from '../terms/turn.ts';

/** What reading stored files takes. */
type FileReading = Pick<FileServices, 'cluster' | 'bytes' | 'limits'>;

/** A turn whose stored files are known by their records. */
interface Described {
  readonly turn: Turn;
  readonly files: StoredFiles;
}

/** The stored files that turns name, as one node reads them. */
export class TurnFiles {
  readonly #files: FileReading;
  readonly #room: FileRoom;

  constructor(files: FileReading, room: FileRoom) {
    this.#files = files;
    this.#room = room;
  }

  /**
   * Gives the parts that name stored files the type and size of the record, so that measuring and routing judge them
   * without their bytes: an image, a recording or a clip counts as one. Rejects with GatewayError 404 naming the member,
   * and 413 above the total of one request. (rule B36, rule B42)
   */
  async describe({ key }: Caller, turn: Turn, references: readonly FileReference[]): Promise<Described> {
    const { requestBytesMax } = this.#files.limits;
    const account = ownerOf(key);
    const found = await Promise.all(references.map((one) => this.#require(account, one)));
    if (found.reduce((sum, file) => sum + file.bytes, 0) > requestBytesMax) throw tooLarge(requestBytesMax);
    const parts = new Map<ContentPart, MediaPart>();
    const records = new Map<MediaPart, FileRecord>();
    for (const [at, { part }] of references.entries()) {
      const file = found[at] as FileRecord;
      const described = { ...part, ...partOf(file, part.filename) };
      parts.set(part, described);
      records.set(described, file);
    }
    const messages = withParts(turn.messages, parts);
    const modalities = { input: modalitiesOf(messages), output: turn.modalities?.output ?? [] };
    const files = new StoredFiles(this.#files, records, (bytes) => this.#room.take(account, bytes));
    return { turn: { ...turn, messages, modalities }, files };
  }

  async #require(account: string, { id, member }: FileReference): Promise<FileRecord> {
    const file = await findStored(this.#files, account, id);
    if (file === null) throw notFound(`${member} names no file of this account`);
    return file;
  }
}

/**
 * The stored files of one turn. Their bytes are read when the turn is about to be sent, after its plan and its hold, and
 * count against the node's room and the account's part of it until `release`. The id is never forwarded.
 */
export class StoredFiles {
  readonly #files: FileReading;
  readonly #records: ReadonlyMap<MediaPart, FileRecord>;
  readonly #takeRoom: (bytes: number) => Promise<() => void>;
  readonly #read = new Map<ContentPart, MediaPart>();
  readonly #releases: (() => void)[] = [];

  constructor(
    files: FileReading,
    records: ReadonlyMap<MediaPart, FileRecord>,
    takeRoom: (bytes: number) => Promise<() => void>,
  ) {
    this.#files = files;
    this.#records = records;
    this.#takeRoom = takeRoom;
  }

  /** Characters that the files add to the request. */
  get characters(): number {
    let characters = 0;
    for (const { bytes } of this.#records.values()) characters += Math.ceil(bytes / 3) * 4;
    return characters;
  }

  /**
   * The messages with the bytes of their files, as data. Rejects with GatewayError 404 for a file that ended meanwhile,
   * and 503 without room.
   */
  async attach(messages: readonly TurnMessage[]): Promise<readonly TurnMessage[]> {
    const unread = partsIn(messages).filter((part) => this.#records.has(part) && !this.#read.has(part));
    const bytes = unread.reduce((sum, part) => sum + this.#recordOf(part).bytes, 0);
    if (bytes > 0) this.#releases.push(await this.#takeRoom(bytes));
    // One after the other: at most one file is read at a time for one request.
    for (const part of unread) this.#read.set(part, await this.#withBytes(part));
    return withParts(messages, this.#read);
  }

  /** Gives the room back. */
  readonly release = (): void => {
    this.#read.clear();
    for (const release of this.#releases.splice(0)) release();
  };

  async #withBytes(part: MediaPart): Promise<MediaPart> {
    const file = this.#recordOf(part);
    const base64 = await readBase64(this.#files, file);
    return { ...part, source: { kind: 'data', mediaType: file.mimeType, base64 } };
  }

  #recordOf(part: MediaPart): FileRecord {
    return this.#records.get(part) as FileRecord;
  }
}

/** Base64 groups three bytes, so pieces are encoded in multiples of three. */
async function readBase64(files: FileReading, file: FileRecord): Promise<string> {
  let text = '';
  let rest = Buffer.alloc(0);
  for await (const piece of await readFile(files, file)) {
    const bytes =
      rest.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    text += bytes.toString('base64', 0, whole);
    rest = Buffer.from(bytes.subarray(whole));
  }
  return text + rest.toString('base64');
}

/** `named`: the name that the request gives the file; absent: its stored one. */
function partOf({ mimeType: mediaType, bytes, filename }: FileRecord, named = filename): MediaPart {
  const [family] = mediaType.split('/', 1);
  const source = { kind: 'stored', mediaType, bytes } as const;
  return family === 'image' || family === 'audio' || family === 'video'
    ? { type: family, source }
    : { type: 'file', source, filename: named };
}

function withParts(
  messages: readonly TurnMessage[],
  replaced: ReadonlyMap<ContentPart, MediaPart>,
): readonly TurnMessage[] {
  return messages.map((message): TurnMessage => {
    if (!('parts' in message) || message.parts === undefined) return message;
    return { ...message, parts: message.parts.map((part) => replaced.get(part) ?? part) };
  });
}

function partsIn(messages: readonly TurnMessage[]): readonly MediaPart[] {
  const parts = messages.flatMap((message) => ('parts' in message ? (message.parts ?? []) : []));
  return parts.filter((part) => part.type !== 'text') as readonly MediaPart[];
}

/** True if bytes have to be read before the sound of these messages can be measured. */
export function hasStoredSound(messages: readonly TurnMessage[]): boolean {
  return partsIn(messages).some(({ type, source }) => type === 'audio' && source.kind === 'stored');
}

/** Each modality besides text once, in order of appearance. */
function modalitiesOf(messages: readonly TurnMessage[]): readonly Modality[] {
  return [...new Set(partsIn(messages).map(({ type }) => type))];
}

function tooLarge(bytesMax: number): GatewayError {
  const message = `The request must name stored files of at most ${bytesMax} bytes in all`;
  return new GatewayError({ status: 413, type: 'payload_too_large', message });
}
