import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { invalid } from '../terms/gateway-error.ts';
import type { Candidate, Rejection } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { RuleViolation } from './eligibility/rule-violation.ts';
import { matches } from './endpoints/matches.ts';
import { rejectionOf } from './rejection-causes.ts';

const MEMBER_CHARACTERS_MAX = 200;

/**
 * Passthrough parameters apply to the serving provider alone. Endpoints that do not accept them are left out. When no
 * endpoint of the first choice's provider accepts them, a 400 is thrown, since they would otherwise be ignored
 * silently. (rule I35)
 */
export function withoutOptions<C extends Pick<Candidate, 'endpoint'>>(
  turn: Turn,
  candidates: readonly C[],
  rejections: Rejection[],
): readonly C[] {
  const { options } = turn.preferences;
  const [first] = candidates;
  if (!options || !first) return candidates;
  const refusals = candidates.map(({ endpoint }) => refusedOption(endpoint, options));
  const { slug } = first.endpoint.provider;
  const isTaken = candidates.some(({ endpoint }, at) => endpoint.provider.slug === slug && refusals[at] === null);
  if (!isTaken) throw invalid(String(refusals[0]?.message));
  return candidates.filter(({ endpoint }, at) => {
    const refusal = refusals[at];
    if (!refusal) return true;
    rejections.push(rejectionOf({ endpoint }, { reason: 'constraint_filtered', member: refusal.member }, turn));
    return false;
  });
}

/** The first option for this endpoint's provider that the endpoint does not accept. */
function refusedOption(
  { provider: { slug }, passthrough }: Endpoint,
  options: NonNullable<Turn['preferences']['options']>,
): { readonly member: string; readonly message: string } | null {
  const given = Object.hasOwn(options, slug) ? (options[slug] ?? {}) : {};
  for (const [name, value] of Object.entries(given)) {
    const member = `provider.options.${slug}.${name}`.slice(0, MEMBER_CHARACTERS_MAX);
    const descriptor = Object.hasOwn(passthrough, name) ? passthrough[name] : undefined;
    if (!descriptor) return { member, message: `${member} is not a passthrough parameter of the serving endpoint` };
    if (!matches(descriptor, value)) {
      return { member, message: `${member} is not a value that the serving endpoint declares for it` };
    }
  }
  return null;
}

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
