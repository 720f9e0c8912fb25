import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { ReasoningDetail, Turn } from '../../terms/turn.ts';
import { SIGNED_THINKING } from '../../terms/turn.ts';

/**
 * A piece of earlier thinking as a block, unchanged. None for an entry that was not signed or encrypted in this
 * dialect: a provider refuses thinking that it did not sign.
 */
export function thinkingBlocks(detail: ReasoningDetail): string[] {
  if (detail.format != null && detail.format !== SIGNED_THINKING) return [];
  if (detail.type === 'reasoning.text' && detail.signature) {
    return [JSON.stringify({ type: 'thinking', thinking: detail.text ?? '', signature: detail.signature })];
  }
  if (detail.type === 'reasoning.encrypted' && detail.data) {
    return [JSON.stringify({ type: 'redacted_thinking', data: detail.data })];
  }
  return [];
}

/** Share of the ceiling used as the thinking budget where a request enables thinking without a budget. */
const BUDGET_SHARE = 0.5;

/**
 * The `thinking` member: disabled by effort `none` or `enabled: false`, the budget of `reasoning.max_tokens` where the
 * endpoint declares budgets, otherwise adaptive; undefined where the request has no reasoning settings. A budget stays
 * under the ceiling. The dialect does not allow thinking with a forced tool call. (rule I113)
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

/** `enable_thinking`, where the endpoint declares this parameter. */
function switchedBy({ sampling }: Turn, { supportedParameters }: Endpoint): boolean | undefined {
  const switched = sampling.enable_thinking;
  return typeof switched === 'boolean' && supportedParameters.includes('enable_thinking') ? switched : undefined;
}
