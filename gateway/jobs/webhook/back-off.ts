import type { WebhookLimits } from '../../terms/config.ts';

const FACTOR = 4;

/**
 * The wait after the given attempt (1, 2, ...), in whole ms: exponential, bounded, and between half and all of its value
 * by chance, so that deliveries which failed together are not repeated together.
 */
export function backOffMs(
  { backOffMsMin, backOffMsMax }: Pick<WebhookLimits, 'backOffMsMin' | 'backOffMsMax'>,
  attempt: number,
  fraction: number,
): number {
  const whole = Math.min(backOffMsMax, backOffMsMin * FACTOR ** (attempt - 1));
  return Math.ceil(whole * (0.5 + fraction / 2));
}
