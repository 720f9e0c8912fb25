import type { Json } from '../../actors/runtime/index.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import type { Candidate, Plan, PromptTokens, Rejection } from '../terms/plan.ts';
import type { Preferences, Turn } from '../terms/turn.ts';
import { promptBound } from '../tokens/bound.ts';
import { promptCount } from '../tokens/count.ts';
import { promptSize } from '../tokens/prompt-size.ts';
import { demands } from './demands.ts';
import { fit } from './fit.ts';
import { type Listed, type Listing, listing } from './listing.ts';
import { noEndpoint, unknownModel } from './no-route.ts';
import { objection } from './objection.ts';
import { order } from './order.ts';
import { resolve } from './resolve.ts';

/** An eligible endpoint of one requested model, before the order of trial is known. */
interface Group {
  readonly eligible: readonly Listed[];
  readonly sort: Preferences['sort'] | undefined;
}

/**
 * Where a turn may run. `offers` is the board's topic `endpoints`; `seed`, uniform in [0, 1), spreads the load; `last`
 * is the endpoint that served the conversation last. Pure: the same arguments give the same plan. Throws 404 when no
 * requested model is in the catalogue, 503 with the reasons when none of its endpoints may serve, 400 when the prompt
 * fits none of them. (spec: inference, Routing rules 1, 2, 5)
 */
export function plan(turn: Turn, offers: ReadonlyMap<string, Json>, seed: number, last: string | null = null): Plan {
  const size = promptSize(turn);
  const prompt = { counted: promptCount(size), bound: promptBound(size) };
  const rejections: Rejection[] = [];
  const groups = eligibleGroups(turn, listing(offers), prompt, rejections);
  const ordered = orderGroups(groups, turn, { seed, last });
  const trial = turn.preferences.allowFallbacks || turn.preferences.order ? ordered : ordered.slice(0, 1);
  const candidates = withoutOptions(turn, trial, rejections).map(
    ({ offer }): Candidate => ({
      offer,
      model: offer.model,
      completionTokensMax: fit(offer, prompt, turn.completionTokensMax) as number,
      messages: turn.messages,
      prompt,
    }),
  );
  if (candidates.length === 0) throw noEndpoint(rejections);
  return { candidates, rejections };
}

function eligibleGroups(turn: Turn, models: Listing, prompt: PromptTokens, rejections: Rejection[]): Group[] {
  const demanded = demands(turn);
  const seen = new Set<string>();
  const groups: Group[] = [];
  for (const requested of turn.models) {
    const resolved = resolve(models, requested);
    if (!resolved) continue;
    const eligible = resolved.endpoints.filter((listed) => {
      if (seen.has(listed.offer.id)) return false;
      seen.add(listed.offer.id);
      const against =
        objection(listed, turn, demanded, resolved.freeOnly ?? false) ??
        tooLong(listed, prompt, turn.completionTokensMax);
      if (against) rejections.push({ provider: listed.offer.provider.slug, endpoint: listed.offer.tag, ...against });
      return against === null;
    });
    groups.push({ eligible, sort: resolved.sort });
  }
  if (groups.length === 0) throw unknownModel(turn.models[0] as string);
  return groups;
}

function tooLong(
  { offer }: Listed,
  prompt: PromptTokens,
  asked: number | undefined,
): Pick<Rejection, 'reason' | 'detail'> | null {
  if (fit(offer, prompt, asked) !== null) return null;
  const most = Math.min(offer.contextLength, offer.promptTokensMax ?? offer.contextLength);
  return { reason: 'context_length', detail: `about ${prompt.counted} tokens, at most ${most} are accepted` };
}

function orderGroups(
  groups: readonly Group[],
  turn: Turn,
  at: { seed: number; last: string | null },
): readonly Listed[] {
  const [only] = groups;
  if (only && groups.length === 1) return order(only.eligible, turn, { ...at, sort: only.sort });
  if (turn.preferences.partition === 'none') {
    const all = groups.flatMap(({ eligible }) => eligible);
    return order(all, turn, { ...at, sort: groups.find(({ sort }) => sort !== undefined)?.sort });
  }
  return groups.flatMap(({ eligible, sort }) => order(eligible, turn, { ...at, sort }));
}

/**
 * Passthrough parameters bind only the provider that serves, and no endpoint declares any yet: the caller is told when
 * they are meant for the first choice, and an endpoint further down that would drop them is left out.
 */
function withoutOptions(turn: Turn, trial: readonly Listed[], rejections: Rejection[]): readonly Listed[] {
  const { options } = turn.preferences;
  if (!options) return trial;
  return trial.filter(({ offer }, at) => {
    const { slug } = offer.provider;
    const [name] = Object.hasOwn(options, slug) ? Object.keys(options[slug] ?? {}) : [];
    if (name === undefined) return true;
    const member = `provider.options.${slug}.${name}`.slice(0, 200);
    if (at === 0) {
      const message = `${member} is not a passthrough parameter of the serving endpoint`;
      throw new GatewayError({ status: 400, type: 'invalid_request', message });
    }
    rejections.push({ provider: slug, endpoint: offer.tag, reason: 'constraint_filtered', member });
    return false;
  });
}
