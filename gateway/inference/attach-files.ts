import type { FileRecord } from '../../actors/file/file-record.ts';
import { ownerOf } from '../../actors/runtime/index.ts';
import type { Modality } from '../../actors/terms/endpoint.ts';
import { findStored, readFile } from '../files/read-file.ts';
import type { Caller } from '../terms/caller.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import { notFound } from '../terms/not-found.ts';
import type { ContentPart, FileReference, MediaPart, Turn, TurnMessage } from '../terms/turn.ts';
import type { InferenceServices } from './services.ts';

/** A turn with the bytes of its stored files, which count against the node's bound until `release`. */
export interface Attached {
  readonly turn: Turn;
  /** Characters that the files add to the request. */
  readonly characters: number;
  readonly release: () => void;
}

/**
 * Replaces the stored files that a turn names by their bytes, as data of their stored type: the id is never forwarded,
 * and an image, a recording or a clip is judged by routing as one. Rejects with GatewayError 404 naming the member, 413
 * above the total of one request, and 503. (spec: inference, Messages, Errors 7; reliability F1, F8)
 */
export async function attachFiles(
  services: InferenceServices,
  caller: Caller,
  turn: Turn,
  references: readonly FileReference[],
): Promise<Attached> {
  const { files, fileRoom } = services;
  const found = await Promise.all(references.map((one) => requireReference(services, caller, one)));
  const bytes = found.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > files.limits.requestBytesMax) throw tooLarge(files.limits.requestBytesMax);
  const release = fileRoom.take(bytes);
  try {
    const parts = new Map<ContentPart, MediaPart>();
    let characters = 0;
    // One after the other: at most one file is read at a time for one request.
    for (const [at, { part }] of references.entries()) {
      const file = found[at] as FileRecord;
      const base64 = await readBase64(services, file);
      characters += base64.length;
      parts.set(part, { ...part, ...partOf(file, base64, part.filename) });
    }
    return { turn: withParts(turn, parts), characters, release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

async function requireReference(
  { files }: InferenceServices,
  caller: Caller,
  { id, member }: FileReference,
): Promise<FileRecord> {
  const file = await findStored(files, ownerOf(caller.key), id);
  if (file === null) throw notFound(`${member} names no file of this account`);
  return file;
}

/** Base64 groups three bytes, so pieces are encoded in multiples of three. */
async function readBase64({ files }: InferenceServices, file: FileRecord): Promise<string> {
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
function partOf({ mimeType: mediaType, filename }: FileRecord, base64: string, named = filename): MediaPart {
  const [family] = mediaType.split('/', 1);
  const source = { kind: 'data', mediaType, base64 } as const;
  return family === 'image' || family === 'audio' || family === 'video'
    ? { type: family, source }
    : { type: 'file', source, filename: named };
}

function withParts(turn: Turn, replaced: ReadonlyMap<ContentPart, MediaPart>): Turn {
  const messages = turn.messages.map((message): TurnMessage => {
    if (!('parts' in message) || message.parts === undefined) return message;
    return { ...message, parts: message.parts.map((part) => replaced.get(part) ?? part) };
  });
  return { ...turn, messages, modalities: { input: modalitiesOf(messages), output: turn.modalities?.output ?? [] } };
}

/** Each modality besides text once, in order of appearance. */
function modalitiesOf(messages: readonly TurnMessage[]): readonly Modality[] {
  const found = new Set<Modality>();
  for (const message of messages) {
    if (!('parts' in message)) continue;
    for (const part of message.parts ?? []) if (part.type !== 'text') found.add(part.type);
  }
  return [...found];
}

function tooLarge(bytesMax: number): GatewayError {
  const message = `The request must name stored files of at most ${bytesMax} bytes in all`;
  return new GatewayError({ status: 413, type: 'payload_too_large', message });
}
