import type { Json } from '../../actors/runtime/index.ts';
import type { Candidate, Plan, Rejection } from '../terms/plan.ts';
import type { Preferences, Turn } from '../terms/turn.ts';
import { rulesOf } from '../terms/turn-kind.ts';
import { measurePromptNow, type PromptSizes } from '../tokens/measure-prompt.ts';
import type { VocabularyName } from '../tokens/vocabulary.ts';
import type { Conversation } from './affinity.ts';
import { firstViolatedRule } from './eligibility/first-violated-rule.ts';
import type { RuleViolation } from './eligibility/rule-violation.ts';
import { constraintsOf, type RoutingDefaults, sharedConstraints } from './endpoints/constraints.ts';
import { type EndpointIndex, endpointIndex, type IndexedEndpoint } from './endpoints/endpoint-index.ts';
import { resolve } from './endpoints/resolve.ts';
import { fit } from './fit.ts';
import { limitedLast, NONE_LIMITED, type RateLimited } from './limited-endpoints.ts';
import { noEndpoint } from './no-endpoint.ts';
import { type Eligible, type OrderOptions, order } from './order.ts';
import { fittedPromptTokens, type Prompt, promptOf, tooManyInputTokens } from './prompt.ts';
import { promptNeeds } from './prompt-needs.ts';
import { rejectionOf } from './rejection-causes.ts';
import { unknownModel } from './unknown-model.ts';
import { firstPick, withoutOptions } from './without-options.ts';

const NO_DEFAULTS: RoutingDefaults = {};

/** What a plan depends on beside the turn and the board. */
interface Moment {
  /** Store time, ms: older reports of capacity are not used. */
  readonly at: number;
  /** Endpoints that are tried last. */
  readonly limited: RateLimited;
}

const UNLIMITED: Moment = { at: 0, limited: NONE_LIMITED };

/** The eligible endpoints of one requested model, before they are ordered. */
interface Group {
  readonly eligible: Eligible[];
  readonly sort: Preferences['sort'] | undefined;
}

/**
 * Plans where a turn may run: every endpoint of the requested models is a candidate or has a rejection. `board` is the
 * topic `endpoints`; `seed`, uniform in [0, 1), spreads the load; `conversation` is that of the turn, null without one;
 * `defaults` are the account's; `sizes` are the turn's by every vocabulary that `promptNeeds` names, and a short turn's
 * are counted here where the caller has none. Pure: the same arguments give the same plan. Throws 404 when no requested model is in the catalogue, 503 with the reasons when
 * no endpoint is eligible, 400 when the prompt fits none of them or the first choice does not accept an option.
 * (rule I130)
 */
export function plan(
  turn: Turn,
  board: ReadonlyMap<string, Json>,
  seed: number,
  conversation: Conversation | null = null,
  defaults: RoutingDefaults = NO_DEFAULTS,
  sizes: PromptSizes = measurePromptNow(turn, promptNeeds(turn, board)),
  { at, limited }: Moment = UNLIMITED,
): Plan {
  const models = endpointIndex(board);
  const rejections: Rejection[] = [];
  const prompts = promptsOf(turn, sizes);
  const groups = eligibleGroups(turn, models, { defaults, prompts }, rejections);
  if (groups.length === 0) throw unknownModel(turn.models[0] as string, board, turn.modalities?.output[0]);
  refuseLongInputs(turn, prompts);
  const partition = turn.preferences.partition ?? defaults.partition;
  const ordered = orderGroups(groups, turn, { seed, at, conversation, together: partition === 'none' });
  const able = withoutOptions(turn, ordered, rejections);
  const candidates = firstPick(turn, limitedLast(able, limited), rejections);
  if (candidates.length === 0) throw noEndpoint(turn, rejections);
  return { candidates, rejections };
}

/** The prompt by each vocabulary of its endpoints. */
type Prompts = ReadonlyMap<VocabularyName, Prompt>;

function promptsOf(turn: Turn, sizes: PromptSizes): Prompts {
  const prompts = new Map<VocabularyName, Prompt>();
  for (const [vocabulary, size] of sizes) prompts.set(vocabulary, promptOf(turn, size));
  return prompts;
}

/** The longest that the prompt may be at any endpoint. */
function longest(prompts: Prompts): number {
  let most = 0;
  for (const { tokens } of prompts.values()) most = Math.max(most, fittedPromptTokens(tokens));
  return most;
}

function eligibleGroups(
  turn: Turn,
  models: EndpointIndex,
  { defaults, prompts }: { readonly defaults: RoutingDefaults; readonly prompts: Prompts },
  rejections: Rejection[],
): Group[] {
  const common = sharedConstraints(turn, longest(prompts), defaults);
  // One model lists each of its endpoints once, so only several models can repeat one.
  const seen = turn.models.length > 1 ? new Set<IndexedEndpoint>() : null;
  const groups: Group[] = [];
  for (const requested of turn.models) {
    const named = resolve(models, requested);
    if (!named) continue;
    const constraints = constraintsOf(common, named);
    const eligible: Eligible[] = [];
    for (const indexed of named.endpoints) {
      if (seen?.has(indexed)) continue;
      seen?.add(indexed);
      const prompt = prompts.get(indexed.vocabulary) as Prompt;
      const violation = firstViolatedRule(indexed, constraints);
      const candidate = violation === null ? fit(indexed.endpoint, prompt, turn.completionTokensMax) : null;
      if (candidate !== null) eligible.push({ indexed, candidate, group: 0, value: 0 });
      else rejections.push(rejectionOf(indexed, violation ?? tooLong(indexed, prompt, turn), turn));
    }
    groups.push({ eligible, sort: named.sort ?? turn.preferences.sort });
  }
  return groups;
}

/** Throws the 400 of a turn whose inputs are too long together by every vocabulary. */
function refuseLongInputs(turn: Turn, prompts: Prompts): void {
  const { inputs } = rulesOf(turn);
  if (inputs === null) return;
  const least = Math.min(...[...prompts.values()].map(({ tokens }) => tokens.counted));
  if (least > inputs.tokensMax) throw tooManyInputTokens(inputs.member, least, inputs.tokensMax);
}

function tooLong({ endpoint }: IndexedEndpoint, { tokens, longestInput }: Prompt, turn: Turn): RuleViolation {
  const most = Math.min(endpoint.contextLength, endpoint.promptTokensMax ?? endpoint.contextLength);
  const what = longestInput
    ? `${rulesOf(turn).inputs?.member}[${longestInput.at}] has about ${longestInput.tokens}`
    : `about ${tokens.counted}`;
  return { reason: 'context_length', detail: `${what} tokens, at most ${most} are accepted` };
}

function orderGroups(
  groups: readonly Group[],
  turn: Turn,
  { together, ...options }: Omit<OrderOptions, 'sort'> & { readonly together: boolean },
): readonly Candidate[] {
  const ranked =
    together && groups.length > 1
      ? [{ eligible: groups.flatMap(({ eligible }) => eligible), sort: groups.find(({ sort }) => sort)?.sort }]
      : groups;
  const candidates: Candidate[] = [];
  for (const { eligible, sort } of ranked) {
    order(eligible, turn, { ...options, sort });
    for (const { candidate } of eligible) candidates.push(candidate);
  }
  return candidates;
}
