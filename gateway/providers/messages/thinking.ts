import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { ReasoningDetail, Turn } from '../../terms/turn.ts';

/** How entries of `reasoning_details` that came from this dialect are marked, so that they find their way back. */
export const FORMAT = 'anthropic-claude-v1';

/**
 * Earlier thinking as blocks, unchanged and in order. Only what was signed, or encrypted, by this dialect has a form
 * in it: a provider refuses thinking that it did not sign.
 */
export function thinkingBlocks(details: readonly ReasoningDetail[]): string[] {
  return details.flatMap((detail) => {
    if (detail.format != null && detail.format !== FORMAT) return [];
    if (detail.type === 'reasoning.text' && detail.signature) {
      return [JSON.stringify({ type: 'thinking', thinking: detail.text ?? '', signature: detail.signature })];
    }
    if (detail.type === 'reasoning.encrypted' && detail.data) {
      return [JSON.stringify({ type: 'redacted_thinking', data: detail.data })];
    }
    return [];
  });
}

/** Share of the ceiling that is thought with where thinking was asked for and no budget was named. */
const BUDGET_SHARE = 0.5;

/**
 * The `thinking` member: switched off by effort `none` or `enabled: false`, given the budget of `reasoning.max_tokens`
 * where the endpoint declares one, else left to the provider; undefined where nothing was asked. A budget stays under
 * the ceiling. A forced tool call leaves no room for thinking in this dialect. (spec: inference, Routing rules 3)
 */
export function thinking(turn: Turn, endpoint: Endpoint, ceiling: number): object | undefined {
  const { effort, tokensMax, enabled = switchedBy(turn, endpoint) } = turn.reasoning ?? {};
  if (effort === 'none' || enabled === false) return { type: 'disabled' };
  if (turn.toolChoice === 'required' || typeof turn.toolChoice === 'object') return undefined;
  const budget = endpoint.reasoning?.budget;
  if (budget && (tokensMax !== undefined || enabled === true)) {
    const wanted = tokensMax ?? Math.floor(ceiling * BUDGET_SHARE);
    const tokens = Math.min(Math.max(wanted, budget.min), budget.max, ceiling - 1);
    return tokens < budget.min ? undefined : { type: 'enabled', budget_tokens: tokens };
  }
  return effort !== undefined || enabled === true ? { type: 'adaptive' } : undefined;
}

/** `enable_thinking`, where the endpoint declares this control. */
function switchedBy({ sampling }: Turn, { supportedParameters }: Endpoint): boolean | undefined {
  const asked = sampling.enable_thinking;
  return typeof asked === 'boolean' && supportedParameters.includes('enable_thinking') ? asked : undefined;
}
