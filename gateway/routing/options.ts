import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { invalid } from '../terms/invalid.ts';
import type { Candidate, Rejection } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import { matches } from './matches.ts';
import { rejectionOf } from './rejection-of.ts';

const MEMBER_CHARACTERS_MAX = 200;

/**
 * Passthrough parameters bind the provider that serves and nobody else. Who would have to drop some is left out; when
 * that is the first choice, and no other endpoint of that provider takes them, the caller is told: his parameters are
 * wrong, and would otherwise be ignored in silence. Throws that 400. (spec: inference, `provider.options`)
 */
export function withoutOptions(turn: Turn, trial: readonly Candidate[], rejections: Rejection[]): readonly Candidate[] {
  const { options } = turn.preferences;
  const [first] = trial;
  if (!options || !first) return trial;
  const refusals = trial.map(({ endpoint }) => refusedOption(endpoint, options));
  const { slug } = first.endpoint.provider;
  const isTaken = trial.some(({ endpoint }, at) => endpoint.provider.slug === slug && refusals[at] === null);
  if (!isTaken) throw invalid(String(refusals[0]?.message));
  return trial.filter(({ endpoint }, at) => {
    const refusal = refusals[at];
    if (!refusal) return true;
    rejections.push(rejectionOf({ endpoint }, { reason: 'constraint_filtered', member: refusal.member }, turn));
    return false;
  });
}

/** The first option meant for an endpoint that it does not take. */
function refusedOption(
  { provider: { slug }, passthrough }: Endpoint,
  options: NonNullable<Turn['preferences']['options']>,
): { readonly member: string; readonly message: string } | null {
  const asked = Object.hasOwn(options, slug) ? (options[slug] ?? {}) : {};
  for (const [name, value] of Object.entries(asked)) {
    const member = `provider.options.${slug}.${name}`.slice(0, MEMBER_CHARACTERS_MAX);
    const descriptor = Object.hasOwn(passthrough, name) ? passthrough[name] : undefined;
    if (!descriptor) return { member, message: `${member} is not a passthrough parameter of the serving endpoint` };
    if (!matches(descriptor, value)) {
      return { member, message: `${member} is not a value that the serving endpoint declares for it` };
    }
  }
  return null;
}
