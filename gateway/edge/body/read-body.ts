import type { Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../actors/runtime/index.ts';
import { VALUE_TOKENS_MAX } from '../../json/json-reader.ts';
import { tooComplex, tooLarge } from '../../json/json-refusal.ts';
import { JsonScan } from '../../json/json-scan.ts';
import type { KeptTexts } from '../../json/json-sinks.ts';
import { parseWhole } from '../../json/parse-whole.ts';
import { oneOf, readInShares } from '../../json/read-in-shares.ts';
import { LOOP_TURN_BYTES, type LoopWork, loopShare, loopWork } from '../../overload/loop-work.ts';
import type { OneAtATime } from '../../overload/one-at-a-time.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import { CallerLeft, invalid } from '../../terms/gateway-error.ts';
import { noRoom, refuseCompressed } from './body-refusal.ts';
import { RequestBody } from './request-body.ts';
import { gatherUpload, SMALL_BYTES_MAX, type Uploaded } from './upload.ts';

/** What one structural token becomes in memory, as a value and as a part of its turn. */
const TOKEN_HEAP_BYTES = 64;

interface ReadBodyOptions {
  readonly limits: EdgeLimits;
  readonly clock: Clock;
  /**
   * Reserves room for a large body as it arrives, and more where its structure needs more; false if the node has none.
   */
  readonly reserve: (bytes: number) => boolean;
  /**
   * Called before a body that has not arrived yet is read; `isLarge` if it is announced as large or with an unknown
   * length. Resolves with the function that is called when it has arrived or failed; rejects with a refusal.
   */
  readonly open: (isLarge: boolean) => Promise<() => void>;
  /** True once the client has left; a body that waits in the queue is then dropped. */
  readonly isGone: () => boolean;
  /** Sends `100 Continue` to a client that waits for it; null for other requests. */
  readonly invite: (() => void) | null;
  /** Receives the bytes of the body in order; null when no digest is needed. */
  readonly digest: Hash | null;
  /** Values that stay text; absent: the JSON schemas in a large inference request. */
  readonly texts?: KeptTexts | undefined;
  /** Parses large bodies one at a time: many live objects at once make garbage collection slow. */
  readonly largeBodies: OneAtATime;
  /** Large bodies are parsed by holder in turn. */
  readonly holder: string;
  /** The body of a job is read in the background; absent: as that of a live request. */
  readonly background?: LoopWork | undefined;
}

/**
 * Reads a request's JSON body within its bounds: announced and actual size, nesting and tokens, strict UTF-8, no
 * compression, a minimum speed, and event loop stalls no longer than one window takes. Rejects with GatewayError 400,
 * 408, 413, 415 or 503, and with `CallerLeft` if the client leaves during the upload. (rule E23)
 */
export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<RequestBody> {
  const { limits, clock } = options;
  refuseByHeaders(request, limits);
  const announced = Number(request.headers['content-length'] ?? 0);
  const scan = new JsonScan({ depthMax: limits.bodyDepthMax, tokensMax: limits.bodyTokensMax });
  const { background, texts } = options;
  if (texts === undefined && options.invite === null && announced > 0 && announced <= SMALL_BYTES_MAX) {
    // Node's HTTP parser delivers body bytes that arrived with the head before the next microtask.
    await null;
    const bytes = takeWhole(request, announced);
    if (bytes !== null) {
      if (!scan.feed(bytes)) throw tooComplex(scan.exceeded);
      options.digest?.update(bytes);
      return new RequestBody(announced, parseWhole(bytes, scan.members));
    }
  }
  const ended = await options.open(announced > SMALL_BYTES_MAX || request.headers['transfer-encoding'] !== undefined);
  const { reserve } = options;
  options.invite?.();
  const uploaded = await gatherUpload(request, { limits, clock, scan, reserve }).finally(ended);
  const bytes = uploaded.length;
  const heapBytes = Math.min(scan.tokens, VALUE_TOKENS_MAX) * TOKEN_HEAP_BYTES;
  if (bytes > SMALL_BYTES_MAX && heapBytes > bytes && !options.reserve(heapBytes - bytes)) throw noRoom();
  const read = (): Promise<RequestBody> => readPieces(uploaded, scan.tokens, background ?? loopWork(clock), options);
  if (bytes > LOOP_TURN_BYTES) return options.largeBodies.run(options.holder, read);
  if (background !== undefined && texts !== undefined) return read();
  if (bytes > SMALL_BYTES_MAX) await loopShare(clock, bytes);
  const whole = oneOf(uploaded.chunks);
  options.digest?.update(whole);
  return new RequestBody(bytes, parseWhole(whole, scan.members));
}

async function readPieces(
  { chunks, length }: Uploaded,
  tokens: number,
  loop: LoopWork,
  { isGone, digest, texts }: ReadBodyOptions,
): Promise<RequestBody> {
  const body = new RequestBody(length, undefined);
  const beforePiece = (piece: Buffer): void => {
    if (isGone()) throw new CallerLeft();
    digest?.update(piece);
  };
  body.put(await readInShares(chunks, { tokens, loop, texts, beforePiece }));
  return body;
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

/** True for the content type JSON in UTF-8. */
function isJson(type: string | undefined): boolean {
  if (type === 'application/json') return true;
  return type !== undefined && type.length < 128 && JSON_TYPE.test(type.trim());
}

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?;?$/i;

function refuseByHeaders(request: IncomingMessage, limits: EdgeLimits): void {
  const { headers } = request;
  refuseCompressed(headers);
  if (Number(headers['content-length'] ?? 0) > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax);
  const type = headers['content-type'];
  if (type !== undefined && !isJson(type)) throw invalid('The content type must be application/json, in UTF-8');
}
