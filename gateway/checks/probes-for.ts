import type { Check, Effort, Endpoint } from '../../actors/terms/endpoint.ts';
import { effortProbe } from './effort-probe.ts';
import { responseFormatProbe, structuredOutputsProbe } from './format-probes.ts';
import { checkedMedia, inputProbe, type Medium } from './input-probes.ts';
import type { QualificationProbe } from './probe.ts';
import { dispatchProbe, toolsProbe } from './tool-probes.ts';

const EFFORT = 'effort:';
const INPUT = 'input:';

/**
 * The checks that follow from an endpoint's declarations; undeclared abilities are not checked. Endpoints that may
 * answer with pictures or speech get only the tool checks, because checks must be cheap.
 */
export function checksFor(endpoint: Endpoint): readonly Check[] {
  const declares = (parameter: string): boolean => endpoint.supportedParameters.includes(parameter);
  const checks: Check[] = declares('tools') ? ['tool_dispatch', 'tools'] : [];
  if (endpoint.outputModalities.some((modality) => modality !== 'text')) return checks;
  checks.push(...checkedMedia(endpoint).map((medium): Check => `input:${medium}`));
  if (declares('structured_outputs')) checks.push('structured_outputs');
  if (declares('response_format')) checks.push('response_format');
  return checks.concat(effortsOf(endpoint, declares).map((effort): Check => `effort:${effort}`));
}

/** The declared levels, and `none` if reasoning can be switched off. Undeclared levels are never routed there. */
function effortsOf({ reasoning }: Endpoint, declares: (parameter: string) => boolean): readonly Effort[] {
  if (reasoning === null || !['reasoning', 'reasoning_effort', 'enable_thinking'].some(declares)) return [];
  const levels = reasoning.efforts ?? [];
  return reasoning.mandatory || levels.includes('none') ? levels : [...levels, 'none'];
}

export function probeFor(endpoint: Endpoint, check: Check): QualificationProbe {
  switch (check) {
    case 'tools':
      return toolsProbe(endpoint);
    case 'tool_dispatch':
      return dispatchProbe(endpoint);
    case 'structured_outputs':
      return structuredOutputsProbe(endpoint);
    case 'response_format':
      return responseFormatProbe(endpoint);
    default:
      return check.startsWith(INPUT)
        ? inputProbe(endpoint, check.slice(INPUT.length) as Medium)
        : effortProbe(endpoint, check.slice(EFFORT.length) as Effort);
  }
}
