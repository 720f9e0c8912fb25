import type { Effort, Endpoint } from '../../../actors/terms/endpoint.ts';
import { adapterOf } from '../../providers/call/target.ts';
import type { Reasoning } from '../../terms/turn.ts';
import type { RuleViolation } from './rule-violation.ts';

/**
 * The endpoint must declare the requested effort, and no check may have refuted it; an unchecked level is accepted as
 * declared. An endpoint that declares a budget and no efforts takes any level as a share of it, where its wire has one.
 * `none`, and switching reasoning off, need a declared off control. A token budget must lie within the declared one.
 * (rule I113)
 */
export function reasoningRule(endpoint: Endpoint, requested: Reasoning): RuleViolation | null {
  const { reasoning, evidence } = endpoint;
  const effort = requested.effort ?? (requested.enabled === false ? 'none' : undefined);
  if (effort !== undefined) {
    const member = requested.effort === undefined ? 'reasoning.enabled' : 'reasoning_effort';
    const isOff = effort === 'none' && reasoning?.mandatory === false;
    if (!isOff && !hasLevel(endpoint, effort)) return { reason: 'reasoning_effort', member, detail: effort };
    if (evidence.refutedEfforts.includes(effort)) {
      return { reason: 'reasoning_effort', member, detail: `${effort}: refuted by its newest check` };
    }
  }
  const { tokensMax } = requested;
  if (tokensMax === undefined) return null;
  const budget = reasoning?.budget;
  if (budget && tokensMax >= budget.min && tokensMax <= budget.max) return null;
  const detail = budget ? `from ${budget.min} to ${budget.max} tokens` : 'no budget is declared';
  return { reason: 'require_parameters', member: 'reasoning.max_tokens', detail };
}

function hasLevel(endpoint: Endpoint, effort: Effort): boolean {
  const { efforts, budget } = endpoint.reasoning ?? {};
  if (efforts !== undefined) return efforts.includes(effort);
  return budget !== undefined && effort !== 'none' && adapterOf(endpoint)?.takesBudget === true;
}
