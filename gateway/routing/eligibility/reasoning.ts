import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Reasoning } from '../../terms/turn.ts';
import type { EligibilityRule } from './eligibility-rule.ts';

/**
 * An effort goes only to who declares that very level and was not refuted at it: an undeclared domain claims none, a
 * level that nobody checked yet is believed. `none`, and switching reasoning off, need a declared off control. A budget
 * in tokens needs a declared one that holds it. (spec: inference, Routing rules 3)
 */
export function reasoningRule({ reasoning, evidence }: Endpoint, asked: Reasoning): EligibilityRule | null {
  const effort = asked.effort ?? (asked.enabled === false ? 'none' : undefined);
  if (effort !== undefined) {
    const member = asked.effort === undefined ? 'reasoning.enabled' : 'reasoning_effort';
    const isOff = effort === 'none' && reasoning?.mandatory === false;
    if (!isOff && !reasoning?.efforts?.includes(effort)) return { reason: 'reasoning_effort', member, detail: effort };
    if (evidence.refutedEfforts.includes(effort)) {
      return { reason: 'reasoning_effort', member, detail: `${effort}: refuted by its newest check` };
    }
  }
  const { tokensMax } = asked;
  if (tokensMax === undefined) return null;
  const budget = reasoning?.budget;
  if (budget && tokensMax >= budget.min && tokensMax <= budget.max) return null;
  const detail = budget ? `from ${budget.min} to ${budget.max} tokens` : 'no budget is declared';
  return { reason: 'require_parameters', member: 'reasoning.max_tokens', detail };
}
