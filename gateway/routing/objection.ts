import { compare, multiply } from '../../actors/terms/usd.ts';
import type { Rejection } from '../terms/plan.ts';
import type { Preferences, Turn } from '../terms/turn.ts';
import { declared } from './demands.ts';
import type { Listed } from './listing.ts';

const CAP_TOKENS = 1_000_000;

/** What this build can carry to an endpoint and back. */
const CARRIED: ReadonlySet<string> = new Set(['text']);

type Objection = Pick<Rejection, 'reason' | 'member' | 'detail'>;

/** Why an endpoint may not serve a turn, whatever its size and state; null when it may. The first reason found. */
export function objection(
  listed: Listed,
  turn: Turn,
  demanded: readonly string[],
  freeOnly: boolean,
): Objection | null {
  if (freeOnly && !listed.free) return { reason: 'constraint_filtered', member: 'model', detail: 'not free' };
  const refused = preferred(listed, turn.preferences);
  if (refused) return refused;
  if (turn.modalities) {
    const lacking = lackingModality(listed, turn.modalities);
    if (lacking !== null) return { reason: 'modality', detail: lacking };
  }
  const unkept = untrusted(listed, turn);
  if (unkept) return unkept;
  for (const parameter of demanded) {
    if (!declared(listed.declares, parameter)) return { reason: 'require_parameters', member: parameter };
  }
  return null;
}

/** What only a vetted endpoint may serve. (conventions 1.1) */
function untrusted({ offer }: Listed, { preferences, dispatch }: Turn): Objection | null {
  const { zeroRetention, noCollection } = preferences;
  if (zeroRetention !== undefined && offer.compliance?.zdr !== 'approved') {
    return { reason: 'data_policy:zdr', member: zeroRetention };
  }
  if (noCollection && offer.dataPolicy?.training !== false) {
    return { reason: 'data_policy:training', member: 'provider.data_collection' };
  }
  if (dispatch && !offer.evidence.dispatchVerified) {
    return { reason: 'tool_dispatch', member: 'stream_options.include_tool_dispatch' };
  }
  return null;
}

/** True when a name of a preference list means this endpoint: its provider's slug, or its whole tag. */
export function isNamed({ offer }: Listed, name: string): boolean {
  return offer.provider.slug === name || offer.tag === name;
}

function preferred(listed: Listed, preferences: Preferences): Objection | null {
  const { only, ignore, order, quantizations, priceMax } = preferences;
  const named = (name: string): boolean => isNamed(listed, name);
  if (only && !only.some(named)) return { reason: 'allowed_providers', member: 'provider.only' };
  if (ignore?.some(named)) return { reason: 'allowed_providers', member: 'provider.ignore' };
  if (order && !preferences.allowFallbacks && !order.some(named)) {
    return { reason: 'allowed_providers', member: 'provider.order' };
  }
  if (quantizations && !quantizations.includes(listed.offer.quantization ?? 'unknown')) {
    return { reason: 'quantization', member: 'provider.quantizations' };
  }
  return priceMax ? tooDear(listed, priceMax) : null;
}

/** An undeclared price is no proof of a low one: it passes no cap. A price per request that nobody asks is none. */
function tooDear({ offer }: Listed, caps: NonNullable<Preferences['priceMax']>): Objection | null {
  const { prompt, completion, request } = offer.tariff;
  const perToken = (price: string | undefined, cap: string | undefined): boolean =>
    cap !== undefined && (price === undefined || compare(multiply(price, CAP_TOKENS), cap) > 0);
  if (perToken(prompt, caps.prompt)) return { reason: 'max_price', member: 'provider.max_price.prompt' };
  if (perToken(completion, caps.completion)) return { reason: 'max_price', member: 'provider.max_price.completion' };
  if (caps.request !== undefined && request !== undefined && compare(request, caps.request) > 0) {
    return { reason: 'max_price', member: 'provider.max_price.request' };
  }
  return null;
}

function lackingModality({ offer }: Listed, modalities: NonNullable<Turn['modalities']>): string | null {
  const { input, output } = modalities;
  return (
    input.find((modality) => !CARRIED.has(modality) || !offer.inputModalities.includes(modality)) ??
    output.find((modality) => !CARRIED.has(modality) || !offer.outputModalities.includes(modality)) ??
    null
  );
}
