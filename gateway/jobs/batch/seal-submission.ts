import type { NewBatch } from '../../../actors/batch/events.ts';
import type { LineError, NewLine } from '../../../actors/batch/line-record.ts';
import { ownerOf, type Place, sealBlob } from '../../../actors/runtime/index.ts';
import type { Idempotency } from '../../../actors/terms/hold.ts';
import { batchId } from '../../../actors/terms/ids.ts';
import { plain } from '../../../actors/terms/only.ts';
import { byteFailure } from '../../files/byte-failure.ts';
import type { FileServices } from '../../files/file-services.ts';
import type { Attribution, Caller } from '../../terms/caller.ts';
import { CallerLeft } from '../../terms/caller-left.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { JsonText } from '../../terms/json-text.ts';
import { type LineDefaults, type LineLimits, readLineBody, validateLine } from './line-body.ts';
import { lineErrorOf } from './line-error.ts';
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
 * store or the blob store is out of reach. (spec: inference, Batch rules 3, 9, 10; reliability B15, F5)
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
      ...{ id, account, endpoint, model, windowMs, lines },
      key: caller.key,
      provider: provider === null ? null : plain(provider),
      attribution: plain(attribution),
      bodies: blob.bytes === 0 ? null : sealed,
      ...(idempotency === undefined ? {} : { idempotency }),
    };
  } catch (thrown) {
    throw byteFailure(thrown);
  }
}

/** The bodies of a batch open only as those of this batch of this account. (reliability F5) */
export function placeOfBodies(account: string, batch: string): Place {
  return { account, object: batch, kind: 'batch-bodies' };
}

/** Yields the text of each valid body and adds one line for every request. */
async function* validBodies(
  { clock }: FileServices,
  { submission, requests, limits, isGone }: NewSubmission,
  lines: NewLine[],
): AsyncIterable<Buffer> {
  const bytesMax = messageBytesMax({ submission, requests });
  let offset = 0;
  for (const { customId, body } of requests) {
    if (isGone()) throw new CallerLeft();
    const text = Buffer.from(body instanceof JsonText ? body.text : JSON.stringify(body));
    const refused = await refusalOf(text, submission, { limits, clock });
    if (refused === null) {
      lines.push({ customId, offset, length: text.length });
      offset += text.length;
      yield text;
    } else lines.push({ customId, refused: withinBytes(refused, bytesMax) });
  }
}

async function refusalOf(
  text: Buffer,
  defaults: LineDefaults,
  reading: Parameters<typeof readLineBody>[2],
): Promise<LineError | null> {
  try {
    validateLine(await readLineBody(text, defaults, reading), defaults);
    return null;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return lineErrorOf(thrown);
    throw thrown;
  }
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
