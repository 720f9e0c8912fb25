import type { IncomingMessage } from 'node:http';
import { type Clock, LOOP_TURN_BYTES, loopShare } from '../../../actors/runtime/index.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import type { EdgeLimits } from '../../terms/config.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/invalid.ts';
import { noRoom, tooComplex, tooLarge } from './body-refusal.ts';
import { BodyScan } from './body-scan.ts';
import { JsonReader } from './json-reader.ts';
import { parseWhole } from './parse-whole.ts';
import { RequestBody } from './request-body.ts';
import { gatherUpload, SMALL_BYTES_MAX, type Uploaded } from './upload.ts';

/** A body with more structure than this is read in the smallest pieces: it costs a hundred times what text does. */
const DENSE_TOKENS = 16 * 1024;
/** As much as a socket gives at once. */
const DENSE_WINDOW_BYTES = 64 * 1024;

export interface ReadBodyOptions {
  readonly limits: EdgeLimits;
  readonly clock: Clock;
  /** Room for a large body, asked for once; false when the node has none. */
  readonly reserve: (bytes: number) => boolean;
  /** The caller is no longer there: what waits to be read is not. */
  readonly isGone: () => boolean;
  /** Asks for a body the caller holds back until it is wanted; null when it does not. */
  readonly invite: (() => void) | null;
}

/**
 * Reads a request's JSON within its bounds: size by what it announces and by what it sends, nesting and tokens, strict
 * UTF-8, no compression, a lowest speed, and no longer stand of the event loop than a window of it is worth. Rejects with
 * GatewayError 400, 408, 413, 415 or 503; a caller that leaves during the upload rejects with `CallerLeft`. (spec:
 * inference, Limits; reliability, attacks 51-54)
 */
export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<RequestBody> {
  const { limits, clock } = options;
  refuseByHeaders(request, limits);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > SMALL_BYTES_MAX && !options.reserve(announced)) throw noRoom();
  options.invite?.();
  const scan = new BodyScan({ depthMax: limits.bodyDepthMax, tokensMax: limits.bodyTokensMax });
  if (announced > 0 && announced <= SMALL_BYTES_MAX) {
    // The parser hands on what came together with the head before anything that waits.
    await null;
    const bytes = takeWhole(request, announced);
    if (bytes !== null) {
      if (!scan.feed(bytes)) throw tooComplex();
      return new RequestBody(announced, parseWhole(bytes, scan.members));
    }
  }
  const reserve = announced > SMALL_BYTES_MAX ? null : options.reserve;
  const uploaded = await gatherUpload(request, { limits, clock, scan, reserve });
  const bytes = uploaded.length;
  if (bytes > LOOP_TURN_BYTES) return readLarge({ ...uploaded, isDense: scan.tokens > DENSE_TOKENS }, options);
  if (bytes > SMALL_BYTES_MAX) await loopShare(clock, bytes);
  return new RequestBody(bytes, parseWhole(oneOf(uploaded.chunks), scan.members));
}

interface LargeBody extends Uploaded {
  /** Much structure: a piece of the smallest size is worth a turn. */
  readonly isDense: boolean;
}

/** Large bodies are read one after the other: much that lives at once is long to collect. */
let last: Promise<void> = Promise.resolve();

async function readLarge(large: LargeBody, options: ReadBodyOptions): Promise<RequestBody> {
  const body = new RequestBody(large.length, undefined);
  const reading = last.then(() => readWindows(large, options, body));
  last = reading.catch(nothing);
  await reading;
  return body;
}

async function readWindows(
  { chunks, length, isDense }: LargeBody,
  { clock, isGone }: ReadBodyOptions,
  body: RequestBody,
): Promise<void> {
  const reader = new JsonReader();
  const windowBytes = isDense ? DENSE_WINDOW_BYTES : LOOP_TURN_BYTES;
  let window: Uint8Array[] = [];
  let bytes = 0;
  const read = async (): Promise<void> => {
    if (isGone()) throw new CallerLeft();
    await loopShare(clock, isDense ? LOOP_TURN_BYTES : bytes);
    reader.feed(oneOf(window));
    window = [];
    bytes = 0;
  };
  for (const chunk of chunks) {
    window.push(chunk);
    bytes += chunk.length;
    if (bytes >= windowBytes) await read();
  }
  await read();
  // Whatever is done with it first, as weighing its texts, has a turn of its own.
  await loopShare(clock, length);
  body.put(reader.end());
}

function nothing(): void {}

function oneOf(chunks: readonly Uint8Array[]): Buffer {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/**
 * A body that is there already, in one piece: what nearly every one is. Null where it has yet to come. A stream to listen
 * to, with a watch over its speed, costs more than all that is done with such a body (measured).
 */
function takeWhole(request: IncomingMessage, announced: number): Buffer | null {
  if (request.readableLength !== announced) return null;
  const bytes = request.read() as Buffer;
  request.resume();
  return bytes;
}

/** True for a content type that says JSON in UTF-8. */
export function isJson(type: string | undefined): boolean {
  if (type === 'application/json') return true;
  return type !== undefined && type.length < 128 && JSON_TYPE.test(type.trim());
}

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?;?$/i;

function refuseByHeaders(request: IncomingMessage, limits: EdgeLimits): void {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const message = 'Compressed request bodies are not supported';
    throw new GatewayError({ status: 415, type: 'invalid_request', message });
  }
  if (Number(headers['content-length'] ?? 0) > limits.bodyBytesMax) throw tooLarge(limits);
  const type = headers['content-type'];
  if (type !== undefined && !isJson(type)) throw invalid('The content type must be application/json, in UTF-8');
}
