import type { Constraints } from '../endpoints/constraints.ts';
import { declared } from '../endpoints/declarations.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import { matches } from '../endpoints/matches.ts';
import type { RuleViolation } from './rule-violation.ts';

/** The endpoint must declare every required parameter, with a value that the descriptor allows. (rule I110) */
export function parametersRule(
  { endpoint, declares }: IndexedEndpoint,
  { turn, requiredParameters, reliable }: Constraints,
): RuleViolation | null {
  for (const parameter of requiredParameters) {
    if (!declared(declares, parameter)) return { reason: 'require_parameters', member: parameter };
    const descriptor = endpoint.descriptors[parameter];
    if (descriptor === undefined || !Object.hasOwn(turn.sampling, parameter)) continue;
    const value = turn.sampling[parameter];
    if (!matches(descriptor, descriptor.type === 'array' && !Array.isArray(value) ? [value] : value)) {
      return { reason: 'require_parameters', member: parameter, detail: 'the value is not among the declared ones' };
    }
  }
  if (reliable && !declares.has('tools')) return { reason: 'require_parameters', member: 'tools' };
  return null;
}
