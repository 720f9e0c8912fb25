import type { BatchEndpoint } from '../../../actors/batch/batch-record.ts';
import type { LineError } from '../../../actors/batch/line-record.ts';
import { DIALECTS } from '../../dialects/dialect-table.ts';
import type { Dialect } from '../../dialects/reply/dialect.ts';
import { asksStream } from '../../dialects/request/read-members.ts';
import { tooComplex, tooLarge } from '../../json/json-refusal.ts';
import { JsonScan } from '../../json/json-scan.ts';
import { parseWhole } from '../../json/parse-whole.ts';
import { readInShares } from '../../json/read-in-shares.ts';
import { LOOP_TURN_BYTES, type LoopWork } from '../../overload/loop-work.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import { type GatewayError, invalid } from '../../terms/gateway-error.ts';

/** What a batch sets for its bodies. (rule B13) */
export interface LineDefaults {
  readonly endpoint: BatchEndpoint;
  /** For bodies that name no model; any other name in a body is refused. Null without a default. */
  readonly model: string | null;
  /** For bodies without `provider`; null without a default. */
  readonly provider: LineProvider | null;
}

/** The provider preferences that a batch may set, as on the wire. */
export interface LineProvider {
  readonly only?: readonly string[] | null;
  readonly allow_fallbacks?: boolean | null;
}

/** The bounds of a live request's body, which are those of a line. */
export type LineLimits = Pick<EdgeLimits, 'bodyBytesMax' | 'bodyDepthMax' | 'bodyTokensMax'>;

/** A body of a batch as its live route would receive it. */
interface LineBody {
  readonly dialect: Dialect;
  /** A JSON value, with the defaults of the batch. */
  readonly body: unknown;
}

/**
 * Reads one body of a batch from its JSON text in pieces, and applies the defaults of the batch. Rejects with the
 * GatewayError that the live route answers to a text that it cannot read.
 */
export async function readLineBody(
  text: Buffer,
  defaults: LineDefaults,
  { limits, loop }: { readonly limits: LineLimits; readonly loop: LoopWork },
): Promise<LineBody> {
  if (!isLargeBody(text)) return loop.run(text.length, () => readSmallBody(text, defaults, limits));
  if (text.length > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax);
  const scan = scanOf(limits);
  for (let at = 0; at < text.length; at += LOOP_TURN_BYTES)
    await loop.run(LOOP_TURN_BYTES, () => scanPiece(scan, text.subarray(at, at + LOOP_TURN_BYTES)));
  return lineBody(await readInShares([text], { loop, tokens: scan.tokens }), defaults);
}

/** True for a body that takes more than one piece. */
export function isLargeBody(text: Buffer): boolean {
  return text.length > LOOP_TURN_BYTES;
}

/** The same for a body that is not large, in one go. Throws GatewayError. */
export function readSmallBody(text: Buffer, defaults: LineDefaults, limits: LineLimits): LineBody {
  if (text.length > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax);
  const scan = scanOf(limits);
  scanPiece(scan, text);
  return lineBody(parseWhole(text, scan.members), defaults);
}

function scanOf({ bodyDepthMax, bodyTokensMax }: LineLimits): JsonScan {
  return new JsonScan({ depthMax: bodyDepthMax, tokensMax: bodyTokensMax });
}

function scanPiece(scan: JsonScan, piece: Buffer): void {
  if (!scan.feed(piece)) throw tooComplex(scan.exceeded);
}

function lineBody(value: unknown, defaults: LineDefaults): LineBody {
  return { dialect: BATCH_DIALECTS[defaults.endpoint], body: withDefaults(value, defaults) };
}

/**
 * Validates a body before its batch is accepted: the live route's own parse, and what a batch refuses beyond it. Throws
 * GatewayError. (rule B3, rule B5)
 */
export function validateLine({ dialect, body }: LineBody, { model }: LineDefaults): void {
  const { turn } = dialect.parse(body, null);
  if (asksStream(body)) throw invalid('stream must be false or absent in a batch');
  if (model !== null && turn.models.some((name) => name !== model)) {
    throw invalid(`model must be ${JSON.stringify(model)}, the model of the batch, or absent`);
  }
}

/** Adds what the batch sets and the body does not: an explicit null counts as absent. */
function withDefaults(value: unknown, { model, provider }: LineDefaults): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const body = value as { readonly model?: unknown; readonly models?: unknown; readonly provider?: unknown };
  const names = body.model != null || (body.models != null && !isEmptyList(body.models));
  return {
    ...body,
    ...(model !== null && !names ? { model } : {}),
    ...(provider !== null && body.provider == null ? { provider } : {}),
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The dialect of the bodies of each endpoint. (rule B13) */
const BATCH_DIALECTS: Readonly<Record<BatchEndpoint, Dialect>> = {
  '/v1/chat/completions': DIALECTS.chat,
  '/v1/responses': DIALECTS.responses,
  '/v1/messages': DIALECTS.messages,
};

/** What the live route answers, as the error of a result line. (rule B28) */
export function lineErrorOf({ type, status, message }: GatewayError): LineError {
  return { type, code: status, message, param: null };
}
