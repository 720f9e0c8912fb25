import type { EndpointRecord } from '../../actors/endpoint/record.ts';
import type { ClusterView, Inspection } from '../../actors/runtime/index.ts';
import { providerAddress } from '../../actors/terms/ids.ts';
import { explainPause, type Pausable } from '../../actors/terms/pause.ts';

/** A node's own operator, or the client of one. */
interface Inspector {
  inspect(address: string): Promise<Inspection | null>;
  ps(): Promise<ClusterView>;
}

/**
 * An actor with its explanation, and what the actor does not know: the names of the nodes that run its work, and a pause
 * of the provider of an endpoint.
 */
export async function explained(operator: Inspector, address: string): Promise<Inspection | null> {
  const found = await operator.inspect(address);
  if (found === null) return found;
  return address.startsWith('endpoint:') ? withProviderPause(operator, found) : withNodeNames(operator, found);
}

async function withNodeNames(operator: Inspector, found: Inspection): Promise<Inspection> {
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
