import type { Clock } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { open } from '../providers/call/open.ts';
import type { Target } from '../providers/call/target.ts';
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
}

/** Asks an endpoint over the same adapters as callers' turns, without a caller and without a charge. Never rejects. */
export async function ask(site: CheckSite, endpoint: Endpoint, turn: Turn): Promise<ProbeAnswer | ProviderFailure> {
  const { clock, limits, lineBytesMax, bodyBytesMax, begun } = site;
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
      begun,
    });
    try {
      return await readProbeAnswer(attempt);
    } catch (thrown) {
      attempt.abort();
      throw thrown;
    }
  } catch (thrown) {
    return failureOf(thrown, null);
  }
}

export function isFailure(answer: ProbeAnswer | ProviderFailure): answer is ProviderFailure {
  return answer instanceof Error;
}
