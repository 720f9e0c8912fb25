import type { Rejection } from '../../terms/plan.ts';

/** Why an endpoint may not serve a turn: a rejection that does not say yet whose it is. */
export type EligibilityRule = Pick<Rejection, 'reason' | 'member' | 'detail'>;
