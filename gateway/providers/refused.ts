import type { OutboundReply } from '../outbound/outbound.ts';
import { statusFailure } from './failure-of.ts';
import { lengthRefusal } from './length-refusal.ts';
import { ProviderFailure } from './provider-failure.ts';

/** Statuses whose body says what is wrong with the request. */
const EXPLAINED: ReadonlySet<number> = new Set([400, 413, 422]);
/** A longer refusal is judged by its status alone. */
const BODY_BYTES_MAX = 16 * 1024;

/**
 * The failure for an answer with a status other than 200. Reads what the provider says about the request and ends the
 * call. The text itself never leaves this file: it may quote the prompt or the operator's key.
 */
export async function refused(reply: OutboundReply): Promise<ProviderFailure> {
  const { status, body } = reply;
  try {
    const sizes = EXPLAINED.has(status) ? lengthRefusal(errorOf(await shortText(reply))) : null;
    if (sizes === null) return statusFailure(status);
    return new ProviderFailure('context_length', `status ${status}: refused for its length`, status, sizes);
  } catch {
    return statusFailure(status);
  } finally {
    body.abort();
  }
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

/** `{error: {...}}`, the error itself, or a text in place of either. Throws for a text that is not JSON. */
function errorOf(text: string): unknown {
  const value = JSON.parse(text) as unknown;
  if (typeof value !== 'object' || value === null) return null;
  const { error, detail } = value as Record<string, unknown>;
  const found = error ?? detail ?? value;
  return typeof found === 'string' ? { message: found } : found;
}
