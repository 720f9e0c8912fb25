/** The provider kind, and how to declare one. Resident: wherever its shard goes, its entry on the board goes along. */
import { createHash } from 'node:crypto';
import type { Cluster, Json, Kind, View } from '../runtime/index.ts';
import type { ProviderFacts } from '../terms/declaration.ts';
import { providerAddress } from '../terms/ids.ts';
import { plain } from '../terms/only.ts';
import { same } from '../terms/same.ts';
import { type Listing, providerMachine } from './provider.machine.ts';

/** Board topic; keys are slugs, values `ProviderFacts`. */
export const PROVIDERS_TOPIC = 'providers';

export const providerKind: Kind = {
  name: 'provider',
  machine: providerMachine,
  version: 1,
  creates: ['provider.declare'],
  finishes: [],
  volatile: ['actor.activated'],
  resident: true,
  collections: {},
  explain: explainProvider,
  redact: (context: Json) => context,
};

/** True when the declaration differs from the one before. */
export async function declareProvider(cluster: Cluster, facts: ProviderFacts, withinMs: number): Promise<boolean> {
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  const event = { type: 'provider.declare', facts: plain(facts), digest };
  const answer = await cluster.ask(providerAddress(facts.slug), event, { withinMs, repeat: same });
  return (answer as { readonly changed: boolean }).changed;
}

/** Takes a provider off the board. True when it was on it. */
export async function withdrawProvider(cluster: Cluster, slug: string, withinMs: number): Promise<boolean> {
  const answer = await cluster.ask(providerAddress(slug), { type: 'provider.withdraw' }, { withinMs, repeat: same });
  return (answer as { readonly changed: boolean }).changed;
}

function explainProvider(view: View): readonly string[] {
  const { facts, declaredAt } = view.context as unknown as Listing;
  const since = declaredAt === null ? '' : ` since ${new Date(declaredAt).toISOString()}`;
  if (facts === null) return [`This provider is withdrawn${since}: the catalogue does not show it.`];
  return [`${facts.name} is declared${since} and shown in the catalogue as ${facts.slug}.`];
}
