import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../actors/runtime/index.ts';
import { unavailable } from '../inference/unavailable.ts';
import type { EdgeLimits } from '../terms/config.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import { BodyScan } from './body-scan.ts';
import { loopTurn } from './loop-turn.ts';
import { verifyJson } from './verify-json.ts';

/** Smaller bodies need no room of their own. */
const SMALL_BYTES_MAX = 64 * 1024;
/** Larger bodies are parsed one per turn of the event loop: a tenth of the longest stand it may make. */
const PARSED_AT_ONCE_BYTES_MAX = 512 * 1024;

/**
 * Reads a request's JSON within its bounds: size by what it announces and by what it sends, nesting and tokens before
 * the parser sees them, strict UTF-8, no compression, a lowest speed. Rejects with GatewayError 400, 408, 413 or 415;
 * a caller that leaves during the upload rejects with `CallerLeft`. (spec: inference, Limits; reliability, attacks 51-54)
 */
export async function readBody(request: IncomingMessage, options: ReadBodyOptions): Promise<unknown> {
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
      return parsed(decoded(bytes), scan);
    }
  }
  const reserve = announced > SMALL_BYTES_MAX ? null : options.reserve;
  const { chunks, length } = await gather(request, { limits, clock, scan, reserve });
  const large = length > PARSED_AT_ONCE_BYTES_MAX;
  if (large) await loopTurn(clock);
  const text = decoded(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
  if (large) await loopTurn(clock);
  return parsed(text, scan);
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

function decoded(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8');
  return bytes.toString('utf8');
}

function parsed(text: string, scan: BodyScan): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('The body is not valid JSON');
  }
  const flaw = verifyJson(value, scan.members);
  if (flaw !== null) throw invalid(`The body is not acceptable JSON: ${flaw}`);
  return value;
}

export interface ReadBodyOptions {
  readonly limits: EdgeLimits;
  readonly clock: Clock;
  /** Room for a large body, asked for once; false when the node has none. */
  readonly reserve: (bytes: number) => boolean;
  /** Asks for a body the caller holds back until it is wanted; null when it does not. */
  readonly invite: (() => void) | null;
}

/** The connection ended before the whole body came: there is nobody to answer. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft';
}

function invalid(message: string): GatewayError {
  return new GatewayError({ status: 400, type: 'invalid_request', message });
}

function tooLarge(limits: EdgeLimits): GatewayError {
  const message = `The body is larger than ${limits.bodyBytesMax} bytes`;
  return new GatewayError({ status: 413, type: 'payload_too_large', message });
}

function tooComplex(): GatewayError {
  return invalid('The body is nested too deeply, holds too many members, or a number without end');
}

function noRoom(): GatewayError {
  return unavailable('too many bytes of bodies are under way on this node');
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

interface Gathering {
  readonly limits: EdgeLimits;
  readonly clock: Clock;
  readonly scan: BodyScan;
  /** Null: there is room for all of it already. */
  readonly reserve: ((bytes: number) => boolean) | null;
}

interface Gathered {
  readonly chunks: readonly Buffer[];
  readonly length: number;
}

function gather(request: IncomingMessage, { limits, clock, scan, reserve }: Gathering): Promise<Gathered> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let asked = reserve === null;
    /** How much an unannounced body will be, only its end tells. */
    const lacksRoom = (): boolean => {
      if (asked || length <= SMALL_BYTES_MAX) return false;
      asked = true;
      return reserve?.(limits.bodyBytesMax) === false;
    };
    const startedAt = clock.monotonic();
    const tooSlow = (): void => {
      const elapsedMs = clock.monotonic() - startedAt;
      const owed = (elapsedMs * limits.bodyBytesPerSecondMin) / 1_000;
      if (length >= owed) stopWatch = clock.after(limits.bodyGraceMs, tooSlow);
      else end(new GatewayError({ status: 408, type: 'timeout', message: 'The body did not arrive in time' }));
    };
    let stopWatch = clock.after(limits.bodyGraceMs, tooSlow);
    const see = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limits.bodyBytesMax) end(tooLarge(limits));
      else if (lacksRoom()) end(noRoom());
      else if (scan.feed(chunk)) chunks.push(chunk);
      else end(tooComplex());
    };
    const finish = (): void => end(null);
    const leave = (): void => end(new CallerLeft());
    const end = (failure: Error | null): void => {
      stopWatch();
      request.off('data', see).off('end', finish).off('close', leave).off('error', leave);
      // What still comes is read and thrown away, so that the answer can be sent on a connection that is being written.
      request.on('error', ignore);
      if (failure !== null) request.resume();
      if (failure !== null) reject(failure);
      else resolve({ chunks, length });
    };
    request.on('data', see).on('end', finish).on('close', leave).on('error', leave);
  });
}

function ignore(): void {}
