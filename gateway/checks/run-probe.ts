import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Outbound } from '../outbound/outbound.ts';
import { failureOf } from '../providers/failure-of.ts';
import { open } from '../providers/open.ts';
import type { FailureCause, ProviderFailure } from '../providers/provider-failure.ts';
import type { Target } from '../providers/target.ts';
import type { CheckLimits } from '../terms/config.ts';
import type { Turn } from '../terms/turn.ts';
import { type Heard, hear } from './heard.ts';
import { failed, inconclusive, type QualificationProbe, type Seen } from './probe.ts';

/** A model may err once: a failure counts when the same question fails again. */
const TRIES_MAX = 2;

export interface ProbeSite {
  readonly outbound: Outbound;
  /** Throws `ProviderFailure` for an endpoint that cannot be reached at all. */
  readonly targetOf: (endpoint: Endpoint) => Target;
  readonly limits: CheckLimits;
  readonly lineBytesMax: number;
  readonly bodyBytesMax: number;
  /** Handed the way to call off what is under way. */
  readonly begun: (abort: () => void) => void;
}

/**
 * Puts a probe's question to an endpoint, over the same adapters as callers' turns and for nobody's money. Null where our
 * own side called it off: that is no observation.
 */
export async function runProbe(site: ProbeSite, endpoint: Endpoint, probe: QualificationProbe): Promise<Seen | null> {
  for (let tries = 1; ; tries++) {
    const seen = await tryProbe(site, endpoint, probe);
    if (seen?.verdict !== 'failed' || tries >= TRIES_MAX) return seen;
  }
}

async function tryProbe(site: ProbeSite, endpoint: Endpoint, probe: QualificationProbe): Promise<Seen | null> {
  const heard = await ask(site, endpoint, probe.turn);
  if (!isFailure(heard)) return probe.judge(heard);
  if (heard.reason === 'aborted') return null;
  if (heard.reason !== 'rejected' || probe.control === undefined) return inconclusive(WORDS[heard.reason]);
  const plain = await ask(site, endpoint, probe.control);
  if (!isFailure(plain)) return failed('it was rejected where the same question without it was answered');
  return plain.reason === 'aborted' ? null : inconclusive(WORDS[plain.reason]);
}

/** Never a provider's own words. */
const WORDS: Readonly<Record<FailureCause, string>> = {
  unavailable: 'no answer came',
  overloaded: 'it was overloaded',
  timeout: 'no answer came in time',
  rejected: 'the request was rejected',
  misconfigured: 'the key or the model was refused',
  garbage: 'what came was no answer',
  contract: 'no call came where one was demanded',
  aborted: 'it was called off',
};

async function ask(site: ProbeSite, endpoint: Endpoint, turn: Turn): Promise<Heard | ProviderFailure> {
  const { limits, lineBytesMax, bodyBytesMax, begun } = site;
  const ms = limits.timeoutMs;
  try {
    const attempt = await open(site.outbound, {
      target: site.targetOf(endpoint),
      turn,
      ceiling: Math.min(limits.completionTokensMax, endpoint.completionTokensMax ?? limits.completionTokensMax),
      generation: 'check',
      limits: { connectMs: ms, firstByteMs: ms, idleMs: ms, totalMs: ms, bodyBytesMax },
      lineBytesMax,
      begun,
    });
    try {
      return await hear(attempt);
    } catch (thrown) {
      attempt.abort();
      throw thrown;
    }
  } catch (thrown) {
    return failureOf(thrown, null);
  }
}

function isFailure(heard: Heard | ProviderFailure): heard is ProviderFailure {
  return heard instanceof Error;
}
