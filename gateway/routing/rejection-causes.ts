import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { compare } from '../../actors/terms/usd.ts';
import type { Rejection } from '../terms/plan.ts';
import type { Turn } from '../terms/turn.ts';
import type { RuleViolation } from './eligibility/rule-violation.ts';
import { listed } from './endpoints/endpoint-index.ts';

/** Why some of the endpoints cannot serve a turn. */
export interface RejectionCause {
  /** What was asked and what is missing, as part of a sentence. */
  readonly text: string;
  /** Number of endpoints. */
  readonly count: number;
  /** The member of the request that asks for it. */
  readonly leaveOut?: string;
  /** The filter of `GET /models` that finds what can serve it. */
  readonly filter?: { readonly name: string; readonly value: string };
}

/** The rejections by their cause; those that the caller's choice of providers made come last. */
export function causesOf(turn: Turn, rejections: readonly Rejection[]): readonly RejectionCause[] {
  const groups = new Map<string, Rejection[]>();
  for (const rejection of rejections) {
    const { reason, member, detail } = rejection;
    const key = reason === 'max_price' ? `${reason} ${member}` : `${reason} ${member} ${detail}`;
    const group = groups.get(key);
    if (group) group.push(rejection);
    else groups.set(key, [rejection]);
  }
  const ordered = [...groups.values()].sort((one, other) => Number(isChosen(one)) - Number(isChosen(other)));
  return ordered.map((group) => ({ count: group.length, ...causeOf(turn, group, rejections) }));
}

function isChosen([rejection]: readonly Rejection[]): boolean {
  return rejection?.reason === 'allowed_providers';
}

function causeOf(turn: Turn, group: readonly Rejection[], all: readonly Rejection[]): Omit<RejectionCause, 'count'> {
  const { reason, member, detail } = group[0] as Rejection;
  switch (reason) {
    case 'modality':
      return { text: `${detail} is not supported`, filter: modalityFilter(turn, String(detail)) };
    case 'source':
      return { text: `${detail} is not supported` };
    case 'allowed_providers':
      return member === 'provider.only' ? onlyCause(turn, group, all) : excludedCause(String(member), group);
    case 'max_price':
      return { text: priceText(String(member), turn, group), leaveOut: String(member) };
    case 'data_policy:zdr':
      return { text: `${member} admits endpoints of approved zero retention alone`, filter: ZDR, ...left(member) };
    case 'data_policy:training':
      return { text: `${member} admits endpoints that state they do not train alone`, ...left(member) };
    case 'context_length':
      return { text: `the prompt is too long (${detail})` };
    case 'require_parameters':
      return { text: `${member} is not declared${inBrackets(detail)}`, ...left(member), ...parameterFilter(member) };
    case 'reasoning_effort':
      return { text: `${member} is not declared${inBrackets(detail)}`, ...left(member) };
    case 'health':
      return { text: String(detail) };
    default:
      return { text: `${member ?? reason} cannot be met${inBrackets(detail)}`, ...left(member) };
  }
}

const ZDR = { name: 'zdr', value: 'true' };

function left(member: string | undefined): Pick<RejectionCause, 'leaveOut'> {
  if (member === undefined || member === 'model') return {};
  // A default of the account is no member of the request, and the members of `audio` have no defaults.
  return /^(?:workspace|audio)\./.test(member) ? {} : { leaveOut: member };
}

function inBrackets(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}

/** The filter compares the names of whole parameters. */
function parameterFilter(member: string | undefined): Pick<RejectionCause, 'filter'> {
  if (member === undefined || member.includes('.')) return {};
  return { filter: { name: 'supported_parameters', value: member } };
}

function modalityFilter({ modalities }: Turn, modality: string): NonNullable<RejectionCause['filter']> {
  const name = modalities?.input.some((each) => each === modality) ? 'input_modalities' : 'output_modalities';
  return { name, value: modality };
}

function onlyCause(turn: Turn, group: readonly Rejection[], all: readonly Rejection[]): Omit<RejectionCause, 'count'> {
  const known = new Set(all.map(({ provider }) => provider));
  const tags = new Set(all.map(({ endpoint }) => endpoint));
  const unknown = (turn.preferences.only ?? []).filter((name) => !known.has(name) && !tags.has(name));
  const served = `the providers here are ${listed(known)}`;
  const leaveOut = 'provider.only';
  if (unknown.length > 0) return { text: `provider.only names ${listed(unknown)}, unknown here; ${served}`, leaveOut };
  if ((turn.preferences.only ?? []).length === 0) return { text: `provider.only is empty; ${served}`, leaveOut };
  return { text: `provider.only excludes ${listed(group.map(({ provider }) => provider))}`, leaveOut };
}

function excludedCause(member: string, group: readonly Rejection[]): Omit<RejectionCause, 'count'> {
  return { text: `${member} excludes ${listed(group.map(({ provider }) => provider))}`, leaveOut: member };
}

/** The bound, and the lowest price above it. */
function priceText(member: string, { preferences }: Turn, group: readonly Rejection[]): string {
  const prices = group.flatMap(({ price }) => price ?? []);
  const [unpriced] = group;
  const bound = boundOf(member, preferences.priceMax);
  if (prices.length === 0) return `${member} is ${bound} and ${unpriced?.detail}`;
  const lowest = prices.reduce((least, price) => (compare(price, least) < 0 ? price : least));
  const unit = /\.(?:prompt|completion)$/.test(member) ? ' USD per million tokens' : ' USD';
  return `${member} is ${bound} and the lowest price is ${lowest}${unit}`;
}

function boundOf(member: string, caps: Turn['preferences']['priceMax']): string {
  const name = member
    .slice(member.lastIndexOf('.') + 1)
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return String((caps as Readonly<Record<string, string>> | undefined)?.[name]);
}

/**
 * A violation with its endpoint. A provider has the same tag for every model, so the model is added for several models.
 */
export function rejectionOf(
  { endpoint }: { readonly endpoint: Endpoint },
  violation: RuleViolation,
  turn: Turn,
): Rejection {
  const { provider, tag, model } = endpoint;
  const owner = { provider: provider.slug, endpoint: tag };
  return turn.models.length > 1 ? { ...owner, model, ...violation } : { ...owner, ...violation };
}
