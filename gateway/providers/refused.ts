import type { Cancel, Clock } from '../../actors/runtime/index.ts';
import type { OutboundReply } from '../outbound/outbound.ts';
import { statusFailure } from './failure-of.ts';
import { ProviderFailure } from './provider-failure.ts';
import { classifyRefusal, isModeration, lengthOf } from './refusal/classify-refusal.ts';
import { refusalFacts } from './refusal/refusal-facts.ts';

/** Statuses whose body says what is wrong with the request. */
const EXPLAINED: ReadonlySet<number> = new Set([400, 413, 422]);
/** Usually the operator's key; some providers answer it when their moderation refuses a prompt. */
const FORBIDDEN = 403;
/** Older versions of one server answer it to a prompt that is too long. */
const BROKEN = 500;
/** A longer refusal is judged by its status alone. */
const BODY_BYTES_MAX = 16 * 1024;

/** How long the body is awaited where it decides nothing: another endpoint waits for its turn. */
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
  try {
    const isRead = EXPLAINED.has(status) || status === FORBIDDEN || status === BROKEN;
    if (!isRead && listener === undefined) return statusFailure(status);
    if (!isRead) cancel = listener?.clock.after(WORDS_MS_MAX, () => body.abort());
    const text = await shortText(reply);
    const failure = refusalFailure(answerOf(text), status);
    listener?.note(text, failure);
    return failure;
  } catch {
    return statusFailure(status);
  } finally {
    cancel?.();
    body.abort();
  }
}

/** The failure for the error of an answer: a parsed body, or the error object inside a 200 that states this status. */
export function refusalFailure(answer: unknown, status: number): ProviderFailure {
  if (EXPLAINED.has(status)) {
    const refusal = classifyRefusal(answer, status);
    if (refusal !== 'operator')
      return new ProviderFailure('rejected', `status ${status}: ${refusal.code}`, status, refusal);
    return new ProviderFailure('misconfigured', `status ${status}: the account or the model`, status);
  }
  if (status === FORBIDDEN && isModeration(answer)) {
    const refusal = { code: 'content_policy_violation' } as const;
    return new ProviderFailure('rejected', `status ${status}: ${refusal.code}`, status, refusal);
  }
  const sizes = status === BROKEN ? lengthOf(refusalFacts(answer)) : null;
  if (sizes === null) return statusFailure(status);
  const refusal = { code: 'context_length_exceeded', sizes } as const;
  return new ProviderFailure('rejected', `status ${status}: ${refusal.code}`, status, refusal);
}

/** The body, or nothing where it is too long. Rejects where it does not arrive within the limits of the call. */
async function shortText({ body }: OutboundReply): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let read = await body.read(); read !== null; read = await body.read()) {
    for (const chunk of read) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return '';
      chunks.push(chunk);
    }
  }
  return Buffer.concat(chunks).toString();
}

/** The parsed body; a text that is not JSON is a message. */
export function answerOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text };
  }
}
