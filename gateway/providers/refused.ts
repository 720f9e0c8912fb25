import type { Cancel, Clock } from '../../actors/runtime/index.ts';
import type { OutboundReply } from '../outbound/outbound.ts';
import { statusFailure } from './failure-of.ts';
import { ProviderFailure } from './provider-failure.ts';
import { classifyRefusal } from './refusal/classify-refusal.ts';
import { refusalFacts } from './refusal/refusal-facts.ts';

/** Statuses whose body says what is wrong with the request. */
const EXPLAINED: ReadonlySet<number | null> = new Set([400, 413, 422]);
/**
 * What else a body can say than its status, by code or cause. 403 is usually the operator's key, and 429 its rate; an
 * error without a status names a cause or none.
 */
const BELIEVED: ReadonlyMap<number | null, readonly string[]> = new Map([
  [403, ['content_policy_violation']],
  [429, ['misconfigured']],
  [null, ['content_policy_violation', 'context_length_exceeded', 'garbage', 'misconfigured', 'overloaded']],
]);
/** Older versions of one server answer 500 to a prompt that is too long. */
const BELIEVED_OTHERWISE: readonly string[] = ['context_length_exceeded', 'garbage'];
/** Of an answer with another status only an error inside a 200 can say more. */
const READ: ReadonlySet<number> = new Set([400, 413, 422, 403, 429, 500]);
const RATE_LIMITED = 429;
/** A longer refusal is judged by its status alone. */
const BODY_BYTES_MAX = 16 * 1024;

/** How long the body is awaited where it decides nothing or, of 429, little: another endpoint waits for its turn. */
const WORDS_MS_MAX = 250;

/** Receives what a provider answered instead of an answer: it may quote the prompt or a key. */
export type RefusalNote = (raw: string, failure: ProviderFailure) => void;

interface RefusalListener {
  readonly note: RefusalNote;
  readonly clock: Clock;
}

/**
 * The failure for an answer with a status other than 200. Reads what the provider says about the request and ends the
 * call. The text itself never leaves the classification, since it may quote the prompt or the operator's key; only
 * the listener receives it.
 */
export async function refused(reply: OutboundReply, listener?: RefusalListener): Promise<ProviderFailure> {
  const { status, body } = reply;
  let cancel: Cancel | undefined;
  let failure = statusFailure(status);
  try {
    if (READ.has(status) || listener !== undefined) {
      const isBrief = !READ.has(status) || status === RATE_LIMITED;
      if (isBrief) cancel = listener?.clock.after(WORDS_MS_MAX, () => body.abort());
      const text = await shortText(reply);
      if (READ.has(status)) failure = refusalFailure(text === null ? null : answerOf(text), status);
      listener?.note(text ?? '', failure);
    }
  } catch {
    // The status alone decides.
  }
  cancel?.();
  body.abort();
  failure.retryAfterMs = retryAfterMs(reply) ?? failure.retryAfterMs;
  return failure;
}

/**
 * The failure for the error of an answer: a parsed body, or the error object inside a 200 with the status that it
 * states, null where it states none.
 */
export function refusalFailure(answer: unknown, status: number | null): ProviderFailure {
  const verdict = classifyRefusal(answer, status);
  const refusal = typeof verdict === 'string' ? null : verdict;
  const cause = typeof verdict === 'string' ? verdict : 'rejected';
  const name = refusal?.code ?? cause;
  const isBelieved = EXPLAINED.has(status) || (BELIEVED.get(status) ?? BELIEVED_OTHERWISE).includes(name);
  const where = status === null ? 'an error instead of an answer' : `status ${status}`;
  const failure = isBelieved ? new ProviderFailure(cause, `${where}: ${name}`, status, refusal) : statusFailure(status);
  failure.retryAfterMs = failure.reason === 'overloaded' ? retryDelayMs(answer) : null;
  return failure;
}

const NUMBER = /^\d{1,9}(\.\d{1,9})?$/;

/**
 * The wait that an answer asks for in its headers, in ms: milliseconds, seconds, or a date, which is compared with the
 * answer's own `Date`, so that no clock of ours takes part. Null without, and for any other text.
 */
function retryAfterMs(reply: OutboundReply): number | null {
  const ms = (reply.header('retry-after-ms') ?? '').trim();
  if (NUMBER.test(ms)) return Number(ms);
  const text = (reply.header('retry-after') ?? '').trim();
  if (NUMBER.test(text)) return Number(text) * 1_000;
  const waitMs = Date.parse(text) - Date.parse(reply.header('date') ?? '');
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

/** Google names the wait in the error itself, as `36.5s`. */
function retryDelayMs(answer: unknown): number | null {
  for (const { retryDelay } of refusalFacts(answer).records) {
    const seconds = typeof retryDelay === 'string' && retryDelay.endsWith('s') ? retryDelay.slice(0, -1) : '';
    if (NUMBER.test(seconds)) return Number(seconds) * 1_000;
  }
  return null;
}

/** The body, or null where it is too long. Rejects where it does not arrive within the limits of the call. */
async function shortText({ body }: OutboundReply): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let read = await body.read(); read !== null; read = await body.read()) {
    for (const chunk of read) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return null;
      chunks.push(chunk);
    }
  }
  return Buffer.concat(chunks).toString();
}

/** The parsed body; a text that is not JSON is a message, and no text is itself. */
export function answerOf(text: string): unknown {
  if (text === '') return text;
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}
