import type { Check, Effort, Endpoint } from '../../actors/terms/endpoint.ts';
import { effortProbe } from './effort-probe.ts';
import { responseFormatProbe, structuredOutputsProbe } from './format-probes.ts';
import { imageProbe } from './image-probe.ts';
import type { QualificationProbe } from './probe.ts';
import { dispatchProbe, toolsProbe } from './tool-probes.ts';

const PREFIX = 'effort:';

/**
 * The checks that follow from an endpoint's declarations; undeclared abilities are not checked. Endpoints that may
 * answer with pictures or speech get only the tool checks, because checks must be cheap.
 */
export function checksFor(endpoint: Endpoint): readonly Check[] {
  const declares = (parameter: string): boolean => endpoint.supportedParameters.includes(parameter);
  const checks: Check[] = declares('tools') ? ['tool_dispatch', 'tools'] : [];
  if (endpoint.outputModalities.some((modality) => modality !== 'text')) return checks;
  if (takesPicture(endpoint)) checks.push('input:image');
  if (declares('structured_outputs')) checks.push('structured_outputs');
  if (declares('response_format')) checks.push('response_format');
  return checks.concat(effortsOf(endpoint, declares).map((effort): Check => `effort:${effort}`));
}

/** True where an inline PNG is an accepted input. */
function takesPicture({ inputModalities, inputs: { image } }: Endpoint): boolean {
  if (!inputModalities.includes('image') || !image?.sources.includes('data')) return false;
  return image.containers === null || image.containers.includes('image/png');
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
    case 'input:image':
      return imageProbe(endpoint);
    case 'structured_outputs':
      return structuredOutputsProbe(endpoint);
    case 'response_format':
      return responseFormatProbe(endpoint);
    default:
      return effortProbe(endpoint, check.slice(PREFIX.length) as Effort);
  }
}
