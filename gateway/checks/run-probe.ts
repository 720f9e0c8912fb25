import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { FailureCause } from '../providers/provider-failure.ts';
import { ask, type CheckSite, isFailure } from './ask.ts';
import { failed, inconclusive, type Judgement, type QualificationProbe } from './probe.ts';

/** A model may fail once by chance: a failure counts if the same request fails again. */
const TRIES_MAX = 2;

/**
 * Sends a probe to an endpoint, over the same adapters as callers' turns and without a charge. Null if the gateway
 * aborted it, which is not an observation.
 */
export async function runProbe(
  site: CheckSite,
  endpoint: Endpoint,
  probe: QualificationProbe,
): Promise<Judgement | null> {
  for (let tries = 1; ; tries++) {
    const judgement = await tryProbe(site, endpoint, probe);
    if (judgement?.verdict !== 'failed' || tries >= TRIES_MAX) return judgement;
  }
}

async function tryProbe(site: CheckSite, endpoint: Endpoint, probe: QualificationProbe): Promise<Judgement | null> {
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
