import type { Constraints } from '../endpoints/constraints.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import { inputsRule } from './inputs.ts';
import { outputsRule } from './outputs.ts';
import { parametersRule } from './parameters.ts';
import { preferencesRule, workspaceRule } from './preferences.ts';
import { priceRule } from './price.ts';
import { reasoningRule } from './reasoning.ts';
import type { RuleViolation } from './rule-violation.ts';
import { trustRule } from './trust.ts';

/**
 * The first rule that keeps an endpoint from serving a turn, apart from size and measured health; null when it may serve. Hard
 * limits are checked before preferences, so that a client whose image no endpoint accepts learns that, whatever
 * providers it allows.
 */
export function firstViolatedRule(indexed: IndexedEndpoint, constraints: Constraints): RuleViolation | null {
  const { turn } = constraints;
  return (
    (turn.modalities ? inputsRule(indexed, constraints) : null) ??
    outputsRule(indexed, turn) ??
    (constraints.freeOnly && !indexed.free ? NOT_FREE : null) ??
    workspaceRule(indexed, constraints) ??
    preferencesRule(indexed, turn.preferences) ??
    trustRule(indexed, constraints) ??
    parametersRule(indexed, constraints) ??
    (turn.reasoning ? reasoningRule(indexed.endpoint, turn.reasoning) : null) ??
    priceRule(indexed, constraints) ??
    (indexed.endpoint.paused === undefined ? null : PAUSED)
  );
}

/** The operator's reason is not for callers. */
const PAUSED: RuleViolation = { reason: 'health', detail: 'paused by the operator' };

const NOT_FREE: RuleViolation = { reason: 'constraint_filtered', member: 'model', detail: 'not free' };
