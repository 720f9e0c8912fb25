import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { parse } from '../../../gateway/dialects/chat/parse.ts';
import type { Conversation } from '../../../gateway/routing/affinity.ts';
import type { RoutingDefaults } from '../../../gateway/routing/endpoints/constraints.ts';
import { plan } from '../../../gateway/routing/plan.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { Plan, Rejection } from '../../../gateway/terms/plan.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { thrownBy } from '../../support/failure-of.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import '../../support/prompt-sizes.ts';

const URL_A = 'http://127.0.0.1:1/v1';

/** An endpoint of model `m/one` at the provider of this slug. */
export function at(
  slug: string,
  model: Parameters<typeof boardEndpoint>[2] = {},
  more: Partial<Endpoint> = {},
): Endpoint {
  return { ...boardEndpoint(slug, URL_A, { id: 'm/one', ...model }), ...more };
}

export function measured(figures: Partial<Endpoint['measured']>): Partial<Endpoint> {
  return { measured: { ...at('x').measured, ...figures } };
}

export function evidence(found: Partial<Endpoint['evidence']>): Partial<Endpoint> {
  return { evidence: { ...at('x').evidence, ...found } };
}

/** A turn as the chat dialect parses it, with further members set on it. */
export function turnOf(body: object, more: Partial<Turn> = {}): Turn {
  return { ...parse({ model: 'm/one', messages: [{ role: 'user', content: 'hello' }], ...body }), ...more };
}

export function planned(body: object, endpoints: readonly Endpoint[], seed = 0.5, last: string | null = null): Plan {
  const turn = turnOf(body);
  return plan(turn, board(...endpoints), seed, conversationOf(turn, last));
}

/** The turn's conversation in one account, as all nodes know it; `last` served it last. */
function conversationOf({ conversation }: Turn, last: string | null): Conversation | null {
  if (conversation === undefined) return null;
  return { identity: `account:a\n${conversation}`, lastOf: () => last };
}

export function slugsOf({ candidates }: Plan): string[] {
  return candidates.map(({ endpoint: { provider } }) => provider.slug);
}

export function slugs(body: object, endpoints: readonly Endpoint[], seed?: number, last?: string): string[] {
  return slugsOf(planned(body, endpoints, seed, last));
}

/** The slugs planned for a turn with members that no body sets. */
export function routed(more: Partial<Turn>, endpoints: readonly Endpoint[], defaults?: RoutingDefaults): string[] {
  return slugsOf(plan(turnOf({}, more), board(...endpoints), 0.5, null, defaults));
}

export const refusal = (run: () => unknown): GatewayError => thrownBy(run, GatewayError);

export function refused(body: object, endpoints: readonly Endpoint[]): GatewayError {
  return refusal(() => planned(body, endpoints));
}

/** The rejections of a turn that no endpoint may serve. */
export function rejected(more: Partial<Turn>, endpoints: readonly Endpoint[]): readonly Rejection[] {
  const { metadata } = refusal(() => plan(turnOf({}, more), board(...endpoints), 0.5));
  return metadata.rejections as readonly Rejection[];
}

export const cheap = { pricing: { prompt: '0.000001', completion: '0.000001' } };
export const dear = { pricing: { prompt: '0.00001', completion: '0.00001' } };
export const p50 = (value: number) => ({ p50: value, p75: value, p90: value, p99: value });
