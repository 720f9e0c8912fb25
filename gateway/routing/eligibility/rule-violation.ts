import type { Rejection } from '../../terms/plan.ts';

/** The eligibility rule that an endpoint violates for a turn: a rejection without its endpoint. */
export type RuleViolation = Pick<Rejection, 'reason' | 'member' | 'detail' | 'price'>;
