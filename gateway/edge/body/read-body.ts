import { isUtf8 } from 'node:buffer';
import type { Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Clock, LOOP_TURN_BYTES, loopShare } from '../../../actors/runtime/index.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import type { EdgeLimits } from '../../terms/config.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { invalid } from '../../terms/invalid.ts';
import { noRoom, notJson, notUtf8, tooComplex, tooLarge, unacceptable } from './body-refusal.ts';
import { BodyScan } from './body-scan.ts';
import { JsonReader, VALUE_TOKENS_MAX } from './json-reader.ts';
import { RequestBody } from './request-body.ts';
import { gatherUpload, SMALL_BYTES_MAX, type Uploaded } from './upload.ts';
import { verifyJson } from './verify-json.ts';

/**
 * A body with more structural tokens is read in the smallest windows: structure costs a hundred times as much as text.
 */
const DENSE_TOKENS = 16 * 1024;
/** What one structural token becomes in memory, as a value and as a part of its turn. */
const TOKEN_HEAP_BYTES = 64;
/** The most that one socket read returns. */
const DENSE_WINDOW_BYTES = 64 * 1024;

export interface ReadBodyOptions {
  readonly limits: EdgeLimits;
  readonly clock: Clock;
  /** Reserves room for a large body, and for more where its structure needs more; false if the node has none. */
  readonly reserve: (bytes: number) => boolean;
  /** True once the client has left; a body that waits in the queue is then dropped. */
  readonly isGone: () => boolean;
  /** Sends `100 Continue` to a client that waits for it; null for other requests. */
  readonly invite: (() => void) | null;
  /** Receives the bytes of the body in order; null when no digest is needed. */
  readonly digest: Hash | null;
}

/**
 * Reads a request's JSON body within its bounds: announced and actual size, nesting and tokens, strict UTF-8, no
 * compression, a minimum speed, and event loop stalls no longer than one window takes. Rejects with GatewayError 400,
 * 408, 413, 415 or 503, and with `CallerLeft` if the client leaves during the upload. (spec: inference, Limits;
 * reliability, attacks 51-54)
 */
export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<RequestBody> {
  const { limits, clock } = options;
  refuseByHeaders(request, limits);
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > SMALL_BYTES_MAX && !options.reserve(announced)) throw noRoom();
  options.invite?.();
  const scan = new BodyScan({ depthMax: limits.bodyDepthMax, tokensMax: limits.bodyTokensMax });
  if (announced > 0 && announced <= SMALL_BYTES_MAX) {
    // Node's HTTP parser delivers body bytes that arrived with the head before the next microtask.
    await null;
    const bytes = takeWhole(request, announced);
    if (bytes !== null) {
      if (!scan.feed(bytes)) throw tooComplex(scan.exceeded);
      options.digest?.update(bytes);
      return new RequestBody(announced, parseWhole(bytes, scan.members));
    }
  }
  const reserve = announced > SMALL_BYTES_MAX ? null : options.reserve;
  const uploaded = await gatherUpload(request, { limits, clock, scan, reserve });
  const bytes = uploaded.length;
  const heapBytes = Math.min(scan.tokens, VALUE_TOKENS_MAX) * TOKEN_HEAP_BYTES;
  if (bytes > SMALL_BYTES_MAX && heapBytes > bytes && !options.reserve(heapBytes - bytes)) throw noRoom();
  if (bytes > LOOP_TURN_BYTES) return readLarge({ ...uploaded, isDense: scan.tokens > DENSE_TOKENS }, options);
  if (bytes > SMALL_BYTES_MAX) await loopShare(clock, bytes);
  const whole = oneOf(uploaded.chunks);
  options.digest?.update(whole);
  return new RequestBody(bytes, parseWhole(whole, scan.members));
}

interface LargeBody extends Uploaded {
  /** Dense structure: one window of the smallest size takes a loop share of its own. */
  readonly isDense: boolean;
}

/** Large bodies are parsed one at a time: many live objects at once make garbage collection slow. */
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
  { clock, isGone, digest }: ReadBodyOptions,
  body: RequestBody,
): Promise<void> {
  const reader = new JsonReader();
  const windowBytes = isDense ? DENSE_WINDOW_BYTES : LOOP_TURN_BYTES;
  let window: Uint8Array[] = [];
  let bytes = 0;
  const read = async (): Promise<void> => {
    if (isGone()) throw new CallerLeft();
    await loopShare(clock, isDense ? LOOP_TURN_BYTES : bytes);
    const piece = oneOf(window);
    digest?.update(piece);
    reader.feed(piece);
    window = [];
    bytes = 0;
  };
  for (const chunk of chunks) {
    window.push(chunk);
    bytes += chunk.length;
    if (bytes >= windowBytes) await read();
  }
  await read();
  // The first use of the value, such as estimating its texts, gets a loop share of its own.
  await loopShare(clock, length);
  body.put(reader.end());
}

function nothing(): void {}

function oneOf(chunks: readonly Uint8Array[]): Buffer {
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/**
 * A body that has already arrived in one piece, as nearly all do; null if bytes are missing. Stream listeners with a
 * speed watch cost more than all other work on such a body (measured).
 */
function takeWhole(request: IncomingMessage, announced: number): Buffer | null {
  if (request.readableLength !== announced) return null;
  const bytes = request.read() as Buffer;
  request.resume();
  return bytes;
}

/**
 * Parses a scanned JSON text with the native parser. `members` is the number of members that the scan counted. Throws
 * GatewayError 400.
 */
export function parseWhole(bytes: Buffer, members: number): unknown {
  if (!isUtf8(bytes)) throw notUtf8();
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw notJson();
  }
  const violation = verifyJson(value, members);
  if (violation !== null) throw unacceptable(violation);
  return value;
}

/** True for the content type JSON in UTF-8. */
function isJson(type: string | undefined): boolean {
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
