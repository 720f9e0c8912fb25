import type { Asked } from '../asked.ts';
import { declared } from '../demands.ts';
import type { Listed } from '../listing.ts';
import { satisfies } from '../satisfies.ts';
import type { Objection } from './objection.ts';

/**
 * Every setting needs its declaration, and a value that the declaration allows where it says what it allows; a JSON
 * Schema is not sent to who was found not to keep to one. (spec: inference, Routing rules 2)
 */
export function againstParameters({ offer, declares }: Listed, { turn, demanded, reliable }: Asked): Objection | null {
  for (const parameter of demanded) {
    if (!declared(declares, parameter)) return { reason: 'require_parameters', member: parameter };
    const descriptor = offer.descriptors[parameter];
    if (descriptor === undefined || !Object.hasOwn(turn.sampling, parameter)) continue;
    const value = turn.sampling[parameter];
    if (!satisfies(descriptor, descriptor.type === 'array' && !Array.isArray(value) ? [value] : value)) {
      return { reason: 'require_parameters', member: parameter, detail: 'the value is not among the declared ones' };
    }
  }
  if (reliable && !declares.has('tools')) return { reason: 'require_parameters', member: 'tools' };
  if (turn.responseFormat?.type === 'json_schema' && offer.evidence.withheld.includes('structured_outputs')) {
    return { reason: 'require_parameters', member: 'structured_outputs' };
  }
  return null;
}
