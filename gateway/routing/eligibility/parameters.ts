import type { Constraints } from '../constraints.ts';
import type { IndexedEndpoint } from '../endpoint-index.ts';
import { matches } from '../matches.ts';
import { declared } from '../required-parameters.ts';
import type { EligibilityRule } from './eligibility-rule.ts';

/**
 * Every setting needs its declaration, and a value that the declaration allows where it says what it allows; a JSON
 * Schema is not sent to who was found not to keep to one. (spec: inference, Routing rules 2)
 */
export function parametersRule(
  { endpoint, declares }: IndexedEndpoint,
  { turn, requiredParameters: demanded, reliable }: Constraints,
): EligibilityRule | null {
  for (const parameter of demanded) {
    if (!declared(declares, parameter)) return { reason: 'require_parameters', member: parameter };
    const descriptor = endpoint.descriptors[parameter];
    if (descriptor === undefined || !Object.hasOwn(turn.sampling, parameter)) continue;
    const value = turn.sampling[parameter];
    if (!matches(descriptor, descriptor.type === 'array' && !Array.isArray(value) ? [value] : value)) {
      return { reason: 'require_parameters', member: parameter, detail: 'the value is not among the declared ones' };
    }
  }
  if (reliable && !declares.has('tools')) return { reason: 'require_parameters', member: 'tools' };
  if (turn.responseFormat?.type === 'json_schema' && endpoint.evidence.withheld.includes('structured_outputs')) {
    return { reason: 'require_parameters', member: 'structured_outputs' };
  }
  return null;
}
