import type { Asked } from '../asked.ts';
import type { Listed } from '../listing.ts';
import { againstInputs } from './inputs.ts';
import type { Objection } from './objection.ts';
import { againstOutputs } from './outputs.ts';
import { againstParameters } from './parameters.ts';
import { againstPreferences } from './preferences.ts';
import { againstPrice } from './price.ts';
import { againstReasoning } from './reasoning.ts';
import { againstTrust } from './trust.ts';

/**
 * Why an endpoint may not serve a turn, whatever its size and state; null when it may. What no preference could change
 * is said first: a caller whose picture nobody takes is told so, whomever he admits.
 */
export function firstObjection(listed: Listed, asked: Asked): Objection | null {
  const { turn } = asked;
  return (
    (turn.modalities ? againstInputs(listed, asked) : null) ??
    againstOutputs(listed, turn) ??
    (asked.freeOnly && !listed.free ? NOT_FREE : null) ??
    againstPreferences(listed, turn.preferences) ??
    againstTrust(listed, asked) ??
    againstParameters(listed, asked) ??
    (turn.reasoning ? againstReasoning(listed.offer, turn.reasoning) : null) ??
    againstPrice(listed, asked)
  );
}

const NOT_FREE: Objection = { reason: 'constraint_filtered', member: 'model', detail: 'not free' };
