import type { Clock } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { failureOf } from '../providers/failure-of.ts';
import { open } from '../providers/open.ts';
import type { FailureCause, ProviderFailure } from '../providers/provider-failure.ts';
import type { Target } from '../providers/target.ts';
import type { CheckLimits } from '../terms/config.ts';
import type { Turn } from '../terms/turn.ts';
import { failed, inconclusive, type Judgement, type QualificationProbe } from './probe.ts';
import { type ProbeAnswer, readProbeAnswer } from './probe-answer.ts';

/** A model may fail once by chance: a failure counts if the same request fails again. */
const TRIES_MAX = 2;

export interface ProbeSite {
  readonly outbound: Outbound;
  /** Throws `ProviderFailure` for an endpoint with an invalid address or dialect. */
  readonly targetOf: (endpoint: Endpoint) => Target;
  readonly limits: CheckLimits;
  readonly clock: Clock;
  readonly lineBytesMax: number;
  readonly bodyBytesMax: number;
  /** Receives the function that aborts the running call. */
  readonly begun: (abort: () => void) => void;
}

/**
 * Sends a probe to an endpoint, over the same adapters as callers' turns and without a charge. Null if the gateway
 * aborted it, which is not an observation.
 */
export async function runProbe(
  site: ProbeSite,
  endpoint: Endpoint,
  probe: QualificationProbe,
): Promise<Judgement | null> {
  for (let tries = 1; ; tries++) {
    const judgement = await tryProbe(site, endpoint, probe);
    if (judgement?.verdict !== 'failed' || tries >= TRIES_MAX) return judgement;
  }
}

async function tryProbe(site: ProbeSite, endpoint: Endpoint, probe: QualificationProbe): Promise<Judgement | null> {
  const answer = await ask(site, endpoint, probe.turn);
  if (!isFailure(answer)) return probe.judge(answer);
  if (answer.reason === 'aborted') return null;
  if (answer.reason !== 'rejected' || probe.control === undefined) return inconclusive(DETAILS[answer.reason]);
  const plain = await ask(site, endpoint, probe.control);
  if (!isFailure(plain)) return failed('it was rejected while the same request without it succeeded');
  return plain.reason === 'aborted' ? null : inconclusive(DETAILS[plain.reason]);
}

/** Details by failure cause; never the provider's own text. */
const DETAILS: Readonly<Record<FailureCause, string>> = {
  unavailable: 'there was no answer',
  overloaded: 'it was overloaded',
  timeout: 'the answer timed out',
  rejected: 'the request was rejected',
  misconfigured: 'the key or the model was refused',
  garbage: 'the answer was invalid',
  contract: 'the required tool call was missing',
  aborted: 'the gateway aborted it',
};

async function ask(site: ProbeSite, endpoint: Endpoint, turn: Turn): Promise<ProbeAnswer | ProviderFailure> {
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
      sharing: { clock, room: async () => () => {} },
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

function isFailure(answer: ProbeAnswer | ProviderFailure): answer is ProviderFailure {
  return answer instanceof Error;
}
