import type { Constraints } from '../constraints.ts';
import type { IndexedEndpoint } from '../endpoint-index.ts';
import type { EligibilityRule } from './eligibility-rule.ts';
import { inputsRule } from './inputs.ts';
import { outputsRule } from './outputs.ts';
import { parametersRule } from './parameters.ts';
import { preferencesRule } from './preferences.ts';
import { priceRule } from './price.ts';
import { reasoningRule } from './reasoning.ts';
import { trustRule } from './trust.ts';

/**
 * Why an endpoint may not serve a turn, whatever its size and state; null when it may. What no preference could change
 * is said first: a caller whose picture nobody takes is told so, whomever he admits.
 */
export function firstViolatedRule(indexed: IndexedEndpoint, constraints: Constraints): EligibilityRule | null {
  const { turn } = constraints;
  return (
    (turn.modalities ? inputsRule(indexed, constraints) : null) ??
    outputsRule(indexed, turn) ??
    (constraints.freeOnly && !indexed.free ? NOT_FREE : null) ??
    preferencesRule(indexed, turn.preferences) ??
    trustRule(indexed, constraints) ??
    parametersRule(indexed, constraints) ??
    (turn.reasoning ? reasoningRule(indexed.endpoint, turn.reasoning) : null) ??
    priceRule(indexed, constraints)
  );
}

const NOT_FREE: EligibilityRule = { reason: 'constraint_filtered', member: 'model', detail: 'not free' };
