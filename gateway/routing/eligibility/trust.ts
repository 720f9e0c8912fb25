import { TOOL_CALL_SUCCESS_MIN } from '../../../actors/terms/endpoint.ts';
import type { Constraints } from '../endpoints/constraints.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import type { RuleViolation } from './rule-violation.ts';

/**
 * Rules that a declaration alone does not satisfy: a vetted provider, a current check, a measured record. An unmeasured
 * endpoint passes. (rule I31, rule I129, rule I66)
 */
export function trustRule({ endpoint }: IndexedEndpoint, { turn, zeroRetention }: Constraints): RuleViolation | null {
  if (zeroRetention !== null && endpoint.compliance?.zdr !== 'approved') {
    return { reason: 'data_policy:zdr', member: zeroRetention };
  }
  if (turn.preferences.noCollection && endpoint.dataPolicy?.training !== false) {
    return { reason: 'data_policy:training', member: 'provider.data_collection' };
  }
  if (!turn.tools) return null;
  if (turn.dispatch && !endpoint.evidence.dispatchVerified) {
    return { reason: 'tool_dispatch', member: 'stream_options.include_tool_dispatch' };
  }
  const { toolCallSuccess1d } = endpoint.evidence;
  if (toolCallSuccess1d !== null && toolCallSuccess1d < TOOL_CALL_SUCCESS_MIN) {
    return { reason: 'tool_fidelity', member: 'tools', detail: `${toolCallSuccess1d} percent of the last day` };
  }
  return null;
}
