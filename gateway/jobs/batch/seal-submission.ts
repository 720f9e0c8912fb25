import type { NewBatch } from '../../../actors/batch/batch-state.ts';
import type { LineError, NewLine } from '../../../actors/batch/line-record.ts';
import { ownerOf, type SealPlace, sealBlob } from '../../../actors/runtime/index.ts';
import { plain } from '../../../actors/terms/chart-tools.ts';
import type { Idempotency } from '../../../actors/terms/hold.ts';
import { batchId } from '../../../actors/terms/ids.ts';
import { byteFailure } from '../../files/byte-failure.ts';
import type { FileServices } from '../../files/file-services.ts';
import type { Attribution, Caller } from '../../terms/caller.ts';
import { CallerLeft, GatewayError } from '../../terms/gateway-error.ts';
import { JsonText } from '../../terms/json-text.ts';
import { isLargeBody, type LineLimits, lineErrorOf, readLineBody, readSmallBody, validateLine } from './line-body.ts';
import type { Submission, SubmittedRequest } from './parse-submission.ts';

export interface NewSubmission {
  readonly submission: Submission;
  readonly requests: readonly SubmittedRequest[];
  readonly caller: Caller;
  readonly attribution: Attribution;
  readonly idempotency: Idempotency | undefined;
  readonly windowMs: number;
  readonly limits: LineLimits;
  /** True once the client has left: nothing is stored then. */
  readonly isGone: () => boolean;
}

/**
 * Validates each body of a checked submission alone and seals the valid ones as one blob. Returns the batch to be
 * created; until then the blob belongs to no row, and the sweep removes it. Rejects with GatewayError 503 while the key
 * store or the blob store is out of reach. (rule B3, rule B9, rule B48)
 */
export async function sealSubmission(services: FileServices, input: NewSubmission): Promise<NewBatch> {
  const { cluster, bytes, random } = services;
  const { submission, caller, attribution, idempotency, windowMs } = input;
  const account = ownerOf(caller.key);
  const id = batchId(random, cluster.now());
  const lines: NewLine[] = [];
  try {
    // While the key store is out of reach nothing may be stored.
    await bytes.keys.current();
    const blob = await bytes.blobs.put(validBodies(services, input, lines));
    const sealed = sealBlob(await bytes.keys.current(), placeOfBodies(account, id), blob, random);
    const { endpoint, model, provider } = submission;
    return {
      id,
      account,
      endpoint,
      model,
      windowMs,
      lines,
      key: caller.key,
      workspace: caller.workspace ?? null,
      provider: provider === null ? null : plain(provider),
      attribution: plain(attribution),
      bodies: blob.bytes === 0 ? null : sealed,
      ...(idempotency === undefined ? {} : { idempotency }),
    };
  } catch (thrown) {
    throw byteFailure(thrown);
  }
}

/** The bodies of a batch open only as those of this batch of this account. (rule B48) */
export function placeOfBodies(account: string, batch: string): SealPlace {
  return { owner: account, object: batch, kind: 'batch-bodies' };
}

/** Yields the text of each valid body and adds one line for every request. */
async function* validBodies(services: FileServices, input: NewSubmission, lines: NewLine[]): AsyncIterable<Buffer> {
  const { requests, isGone } = input;
  const bytesMax = messageBytesMax(input);
  let offset = 0;
  while (lines.length < requests.length) {
    if (isGone()) throw new CallerLeft();
    for (const { customId, text, refused } of await judgeSome(services, input, lines.length)) {
      if (refused === null) {
        lines.push({ customId, offset, length: text.length });
        offset += text.length;
        yield text;
      } else lines.push({ customId, refused: withinBytes(refused, bytesMax) });
    }
  }
}

interface JudgedBody {
  readonly customId: string;
  readonly text: Buffer;
  /** Null: it is valid. */
  readonly refused: LineError | null;
}

/** A piece judges bodies for so long: a thousand turns of the event loop for a thousand small ones would take seconds. */
const JUDGED_MS = 1;

/** Judges some requests from this one on, at least one, as one piece of background work; a large body in several. */
async function judgeSome(
  { background, clock }: FileServices,
  { submission, requests, limits, caller }: NewSubmission,
  from: number,
): Promise<readonly JudgedBody[]> {
  const judged: JudgedBody[] = [];
  let large: Buffer | null = null;
  const small = (): void => {
    const beganAt = clock.monotonic();
    for (const { customId, body } of requests.slice(from)) {
      const text = textOf(body);
      if (isLargeBody(text)) {
        large = judged.length === 0 ? text : null;
        return;
      }
      const refused = refusalOf(() => validateLine(readSmallBody(text, submission, limits), submission));
      judged.push({ customId, text, refused });
      if (clock.monotonic() - beganAt >= JUDGED_MS) return;
    }
  };
  await background.run(ownerOf(caller.key), small);
  if (large === null) return judged;
  const { customId } = requests[from] as SubmittedRequest;
  return [await judgeLarge(customId, large, { background, submission, limits, caller })];
}

async function judgeLarge(
  customId: string,
  text: Buffer,
  { background, submission, limits, caller }: Pick<FileServices, 'background'> & JudgingParts,
): Promise<JudgedBody> {
  const loop = background.of(ownerOf(caller.key));
  const read = await readLineBody(text, submission, { limits, loop }).catch(lineErrorOrThrow);
  if (!('body' in read)) return { customId, text, refused: read };
  const refused = await background.run(ownerOf(caller.key), () => refusalOf(() => validateLine(read, submission)));
  return { customId, text, refused };
}

type JudgingParts = Pick<NewSubmission, 'submission' | 'limits' | 'caller'>;

function textOf(body: unknown): Buffer {
  return Buffer.from(body instanceof JsonText ? body.text : JSON.stringify(body));
}

function refusalOf(judge: () => void): LineError | null {
  try {
    judge();
    return null;
  } catch (thrown) {
    return lineErrorOrThrow(thrown);
  }
}

function lineErrorOrThrow(thrown: unknown): LineError {
  if (thrown instanceof GatewayError) return lineErrorOf(thrown);
  throw thrown;
}

/** What a submission's event may have as JSON, of the 1 MiB of an envelope. */
const EVENT_BYTES_MAX = 960 * 1024;
/** Everything of one line in the event but its `custom_id` and a refusal's message. */
const LINE_OVERHEAD_BYTES = 192;
/** The most bytes that one character of a text takes as JSON. */
const ESCAPE_BYTES = 6;

/**
 * Bytes that the message of each refusal may have as JSON so that the event fits its envelope: 700 where names are
 * short, at least 150 where 1,000 names are as long as allowed. Types and codes are never cut.
 */
function messageBytesMax({ submission, requests }: Pick<NewSubmission, 'submission' | 'requests'>): number {
  const { model, provider } = submission;
  const names = requests.reduce((sum, { customId }) => sum + jsonBytes(customId) + LINE_OVERHEAD_BYTES, 0);
  return Math.floor((EVENT_BYTES_MAX - jsonBytes({ model, provider }) - names) / requests.length);
}

function withinBytes(refused: LineError, bytesMax: number): LineError {
  if (jsonBytes(refused.message) <= bytesMax) return refused;
  return { ...refused, message: refused.message.slice(0, bytesMax / ESCAPE_BYTES).toWellFormed() };
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
