import type { Clock } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { ProviderAttempt } from '../providers/adapter.ts';
import { open, type RefusalSink } from '../providers/call/open.ts';
import { adapterOf, type Target } from '../providers/call/target.ts';
import { failureOf } from '../providers/failure-of.ts';
import type { ProviderFailure } from '../providers/provider-failure.ts';
import type { CheckLimits } from '../terms/config/check-limits.ts';
import type { Turn } from '../terms/turn.ts';
import { type ProbeAnswer, readProbeAnswer } from './probe-answer.ts';

export interface CheckSite {
  readonly outbound: Outbound;
  /** Throws `ProviderFailure` for an endpoint with an invalid address or dialect. */
  readonly targetOf: (endpoint: Endpoint) => Target;
  readonly limits: Pick<CheckLimits, 'timeoutMs' | 'completionTokensMax'>;
  readonly clock: Clock;
  readonly lineBytesMax: number;
  readonly bodyBytesMax: number;
  /** Receives the function that aborts the running call. */
  readonly begun: (abort: () => void) => void;
  readonly refusals?: RefusalSink;
}

/** Asks an endpoint over the same adapters as callers' turns, without a caller and without a charge. Never rejects. */
export function ask(site: CheckSite, endpoint: Endpoint, turn: Turn): Promise<ProbeAnswer | ProviderFailure> {
  return askFor(site, endpoint, turn, readProbeAnswer);
}

/** The same for an answer that `read` reads to its end. */
export async function askFor<T>(
  site: CheckSite,
  endpoint: Endpoint,
  turn: Turn,
  read: (attempt: ProviderAttempt) => Promise<T>,
): Promise<T | ProviderFailure> {
  const { clock, limits, lineBytesMax, bodyBytesMax, begun, refusals } = site;
  const ms = limits.timeoutMs;
  try {
    const attempt = await open(site.outbound, {
      target: site.targetOf(endpoint),
      turn,
      ceiling: Math.min(limits.completionTokensMax, endpoint.completionTokensMax ?? limits.completionTokensMax),
      generation: 'check',
      limits: { connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: ms, bodyBytesMax },
      lineBytesMax,
      // One answer at a time per provider, and of few tokens.
      sharing: { clock, room: async () => () => {}, streamShare: () => null },
      refusals,
      begun,
    });
    try {
      return await read(attempt);
    } catch (thrown) {
      attempt.abort();
      throw thrown;
    }
  } catch (thrown) {
    return failureOf(thrown, null);
  }
}

/** False for an endpoint that only continues texts: no question has a form there. */
export function converses(endpoint: Endpoint): boolean {
  return adapterOf(endpoint)?.continuesText !== true;
}

export function isFailure(answer: object): answer is ProviderFailure {
  return answer instanceof Error;
}
