import type { EndpointRecord } from '../../actors/endpoint/record.ts';
import type { Inspection } from '../../actors/runtime/index.ts';
import { providerAddress } from '../../actors/terms/ids.ts';
import { explainPause, type Pausable } from '../../actors/terms/pause.ts';

/** A node's own operator, or the client of one. */
interface Inspector {
  inspect(address: string): Promise<Inspection | null>;
}

/** An actor with its explanation. An endpoint's actor does not know of a pause of its provider: it is added here. */
export async function explained(operator: Inspector, address: string): Promise<Inspection | null> {
  const found = await operator.inspect(address);
  if (found === null || !address.startsWith('endpoint:')) return found;
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
