import type { Verdict } from '../../actors/endpoint/evidence.ts';
import type { Check } from '../../actors/terms/endpoint.ts';
import type { Turn } from '../terms/turn.ts';
import type { ProbeAnswer } from './probe-answer.ts';

/** Increased with every change to a probe: findings of older versions then no longer count. */
export const PROBE_VERSION = 1;

/** The verdict on an answer; `detail` never quotes the provider. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly detail: string;
}

/** One test request that shows whether an endpoint does what it declares. */
export interface QualificationProbe {
  readonly check: Check;
  readonly turn: Turn;
  readonly judge: (answer: ProbeAnswer) => Judgement;
  /** The same request without the tested member: if it succeeds where the first was rejected, the check fails. */
  readonly control?: Turn;
}

export function passed(detail: string): Judgement {
  return { verdict: 'passed', detail };
}

export function failed(detail: string): Judgement {
  return { verdict: 'failed', detail };
}

export function inconclusive(detail: string): Judgement {
  return { verdict: 'inconclusive', detail };
}

/** Why an answer is inconclusive: refusals and cut answers are diagnostic only. Null for a complete answer. */
export function incomplete({ refused, finish }: ProbeAnswer): Judgement | null {
  if (refused || finish === 'content_filter') return inconclusive('it refused to answer');
  if (finish === 'length') return inconclusive('the answer reached its token ceiling');
  return null;
}
