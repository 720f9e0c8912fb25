import { TOOL_CALL_SUCCESS_MIN } from '../../../actors/terms/offer.ts';
import type { Asked } from '../asked.ts';
import type { Listed } from '../listing.ts';
import type { Objection } from './objection.ts';

/**
 * What takes more than a declaration: a vetted provider, a current check, a measured record. What was never measured
 * is no record. (spec: catalogue, `compliance`, `data_policy`, `tool_call_success_1d`; inference, Call-ready dispatch)
 */
export function againstTrust({ offer }: Listed, { turn, zeroRetention }: Asked): Objection | null {
  if (zeroRetention !== null && offer.compliance?.zdr !== 'approved') {
    return { reason: 'data_policy:zdr', member: zeroRetention };
  }
  if (turn.preferences.noCollection && offer.dataPolicy?.training !== false) {
    return { reason: 'data_policy:training', member: 'provider.data_collection' };
  }
  if (!turn.tools) return null;
  if (turn.dispatch && !offer.evidence.dispatchVerified) {
    return { reason: 'tool_dispatch', member: 'stream_options.include_tool_dispatch' };
  }
  const { toolCallSuccess1d } = offer.evidence;
  if (toolCallSuccess1d !== null && toolCallSuccess1d < TOOL_CALL_SUCCESS_MIN) {
    return { reason: 'tool_fidelity', member: 'tools', detail: `${toolCallSuccess1d} percent of the last day` };
  }
  return null;
}
