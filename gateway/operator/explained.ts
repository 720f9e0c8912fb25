import type { EndpointRecord } from '../../actors/endpoint/record.ts';
import type { ProviderState } from '../../actors/provider/provider.machine.ts';
import type { ClusterView, Inspection } from '../../actors/runtime/index.ts';
import { providerAddress } from '../../actors/terms/ids.ts';
import { explainPause, type Pausable } from '../../actors/terms/pause.ts';
import { type Inspector, inspectAll } from './ask-each.ts';
import { endpointsAt, explainProviderHealth, providerHealth } from './provider-health.ts';

/** A node's own operator, or the client of one. */
interface Explainer extends Inspector {
  ps(): Promise<ClusterView>;
}

/**
 * An actor with its explanation, and what the actor does not know: the names of the nodes that run its work, a pause of
 * the provider of an endpoint, and the health of a provider's endpoints.
 */
export async function explained(operator: Explainer, address: string): Promise<Inspection | null> {
  const found = await operator.inspect(address);
  if (found === null) return found;
  if (address.startsWith('endpoint:')) return withProviderPause(operator, found);
  return address.startsWith('provider:') ? withEndpoints(operator, found) : withNodeNames(operator, found);
}

async function withEndpoints(operator: Inspector, found: Inspection): Promise<Inspection> {
  const state = found.context as unknown as ProviderState | null;
  if (!state?.facts) return found;
  const endpoints = endpointsAt(state.slug, await inspectAll(operator, 'endpoint'));
  const health = explainProviderHealth(providerHealth(endpoints, state.paused ?? null));
  return { ...found, explanation: [...found.explanation.slice(0, 1), ...health, ...found.explanation.slice(1)] };
}

async function withNodeNames(operator: Explainer, found: Inspection): Promise<Inspection> {
  if (found.intents.length === 0) return found;
  const { nodes } = await operator.ps();
  const named = (line: string): string =>
    nodes.reduce((text, { name, incarnation }) => text.replaceAll(incarnation, `${name} (${incarnation})`), line);
  return { ...found, explanation: found.explanation.map(named) };
}

async function withProviderPause(operator: Inspector, found: Inspection): Promise<Inspection> {
  const slug = (found.context as unknown as EndpointRecord | null)?.declaration?.provider.slug;
  if (slug === undefined) return found;
  const provider = (await operator.inspect(providerAddress(slug)))?.context as Pausable | undefined;
  const { explanation } = found;
  const pause = explainProviderPause(slug, provider ?? {});
  return { ...found, explanation: [...explanation.slice(0, 1), ...pause, ...explanation.slice(1)] };
}

/** The sentence about the provider for each of its endpoints. */
export function explainProviderPause(slug: string, provider: Pausable): readonly string[] {
  return explainPause(provider, `providers resume ${slug}`).map((line) => line.replace('paused it', `paused ${slug}`));
}
