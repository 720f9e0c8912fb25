import type { Candidate, Rejection } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { RuleViolation } from './eligibility/rule-violation.ts';
import { rejectionOf } from './rejection-of.ts';

/** Without fallbacks only the first candidate may serve, unless the client lists providers in `order`. */
export function firstPick<C extends Pick<Candidate, 'endpoint'>>(
  turn: Turn,
  ordered: readonly C[],
  rejections: Rejection[],
): readonly C[] {
  if (turn.preferences.allowFallbacks || turn.preferences.order) return ordered;
  const violation: RuleViolation = { reason: 'constraint_filtered', member: 'provider.allow_fallbacks' };
  for (const candidate of ordered.slice(1)) rejections.push(rejectionOf(candidate, violation, turn));
  return ordered.slice(0, 1);
}
