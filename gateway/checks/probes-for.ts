import type { Check, Effort, EndpointOffer } from '../../actors/terms/offer.ts';
import { effortProbe } from './effort-probe.ts';
import { responseFormatProbe, structuredOutputsProbe } from './format-probes.ts';
import type { Probe } from './probe.ts';
import { dispatchProbe, toolsProbe } from './tool-probes.ts';

const PREFIX = 'effort:';

/**
 * The checks that an endpoint's declarations call for: what it does not claim is not tried. What may answer any question
 * with a picture or with speech is asked for nothing but calls: a check has to be cheap.
 */
export function checksFor(offer: EndpointOffer): readonly Check[] {
  const declares = (parameter: string): boolean => offer.supportedParameters.includes(parameter);
  const checks: Check[] = declares('tools') ? ['tool_dispatch', 'tools'] : [];
  if (offer.outputModalities.some((modality) => modality !== 'text')) return checks;
  if (declares('structured_outputs')) checks.push('structured_outputs');
  if (declares('response_format')) checks.push('response_format');
  return checks.concat(effortsOf(offer, declares).map((effort): Check => `effort:${effort}`));
}

/** Levels as declared, and `none` where an off control is: an unknown domain claims no level, and none is routed there. */
function effortsOf({ reasoning }: EndpointOffer, declares: (parameter: string) => boolean): readonly Effort[] {
  if (reasoning === null || !(declares('reasoning') || declares('reasoning_effort'))) return [];
  const levels = reasoning.efforts ?? [];
  return reasoning.mandatory || levels.includes('none') ? levels : [...levels, 'none'];
}

export function probeFor(offer: EndpointOffer, check: Check): Probe {
  switch (check) {
    case 'tools':
      return toolsProbe(offer);
    case 'tool_dispatch':
      return dispatchProbe(offer);
    case 'structured_outputs':
      return structuredOutputsProbe(offer);
    case 'response_format':
      return responseFormatProbe(offer);
    default:
      return effortProbe(offer, check.slice(PREFIX.length) as Effort);
  }
}
