import type { OutboundReply } from '../../outbound/outbound.ts';
import { ProviderFailure } from '../provider-failure.ts';

/** The provider refused a render and named the time after which it may be asked again (`Retry-After`). */
export class DeferredRender extends ProviderFailure {
  readonly afterMs: number;

  constructor({ reason, message, status, refusal }: ProviderFailure, afterMs: number) {
    super(reason, message, status, refusal);
    this.afterMs = afterMs;
  }
}

const SECONDS = /^\d{1,9}(\.\d{1,9})?$/;

/**
 * What `Retry-After` asks for, in ms: seconds, or a date, which is compared with the answer's own `Date`, so that no
 * clock of ours takes part. Null without, and for any other text.
 */
export function retryAfterMs(reply: Pick<OutboundReply, 'header'>): number | null {
  const text = (reply.header('retry-after') ?? '').trim();
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const waitMs = Date.parse(text) - Date.parse(reply.header('date') ?? '');
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}
