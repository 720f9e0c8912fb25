import type { Verdict } from '../../actors/endpoint/evidence.ts';
import type { Check } from '../../actors/terms/endpoint.ts';
import type { Turn } from '../terms/turn.ts';
import type { Heard } from './heard.ts';

/** Raised whenever a probe asks or judges differently: what an older one found then counts no more. */
export const PROBE_VERSION = 1;

/** What an answer shows, in our own words. */
export interface Seen {
  readonly verdict: Verdict;
  readonly detail: string;
}

/** One question to an endpoint that shows whether it does what it declares. */
export interface QualificationProbe {
  readonly check: Check;
  readonly turn: Turn;
  readonly judge: (heard: Heard) => Seen;
  /** The same question without what is tried: answered where the first was rejected as wrong, it refutes. */
  readonly control?: Turn;
}

export function passed(detail: string): Seen {
  return { verdict: 'passed', detail };
}

export function failed(detail: string): Seen {
  return { verdict: 'failed', detail };
}

export function inconclusive(detail: string): Seen {
  return { verdict: 'inconclusive', detail };
}

/** Why an answer says nothing: refusals and cut answers are diagnostic only. Null where it is whole. */
export function incomplete({ refused, finish }: Heard): Seen | null {
  if (refused || finish === 'content_filter') return inconclusive('it refused to answer');
  if (finish === 'length') return inconclusive('the answer was cut at its ceiling');
  return null;
}
