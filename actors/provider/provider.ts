/** The provider kind and its client functions. Resident: its board entry moves with its shard. */
import { createHash } from 'node:crypto';
import type { Cluster, Json, Kind, View } from '../runtime/index.ts';
import type { ProviderFacts } from '../terms/declaration.ts';
import { providerAddress } from '../terms/ids.ts';
import { plain } from '../terms/only.ts';
import { explainPause, type Pausable, pauseNote } from '../terms/pause.ts';
import { same } from '../terms/same.ts';
import { type DocumentReading, type KeyRefusal, type ProviderState, providerMachine } from './provider.machine.ts';
import { isRecording, REFUSALS_COLLECTION, refusalCollection } from './refusals.ts';

/** Board topic; keys are slugs, values `ProviderFacts`. */
export const PROVIDERS_TOPIC = 'providers';

/** Longest stored validation error. */
const PROBLEM_CHARS_MAX = 1_000;

export const providerKind: Kind = {
  name: 'provider',
  machine: providerMachine,
  version: 1,
  creates: ['provider.declare', 'provider.read'],
  finishes: [],
  volatile: ['actor.activated'],
  resident: true,
  collections: { [REFUSALS_COLLECTION]: refusalCollection },
  note: pauseNote,
  explain: explainProvider,
  redact: (context: Json) => context,
};

/** Returns true when the declaration differs from the previous one. */
export async function declareProvider(cluster: Cluster, facts: ProviderFacts, withinMs: number): Promise<boolean> {
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('hex');
  const event = { type: 'provider.declare', facts: plain(facts), digest };
  const answer = await cluster.ask(providerAddress(facts.slug), event, { withinMs, repeat: same });
  return (answer as { readonly changed: boolean }).changed;
}

/** Reports the result of reading a provider's models document. Returns true when it differs from the last one. */
export async function reportReading(
  cluster: Cluster,
  slug: string,
  reading: { readonly problem: string | null; readonly endpoints: number },
  withinMs: number,
): Promise<boolean> {
  const problem = reading.problem?.slice(0, PROBLEM_CHARS_MAX) ?? null;
  const event = { type: 'provider.read', problem, endpoints: reading.endpoints };
  const answer = await cluster.ask(providerAddress(slug), event, { withinMs, repeat: same });
  return (answer as { readonly changed: boolean }).changed;
}

/** Reports that a provider refuses our key, or accepts it again. Best effort: a later call reports again. */
export function reportKey(cluster: Pick<Cluster, 'tell'>, slug: string, refusedWith: number | null): void {
  const event = refusedWith === null ? { type: 'key.accepted' } : { type: 'key.refused', status: refusedWith };
  cluster.tell(providerAddress(slug), event);
}

/** Removes a provider from the board. Returns true when it was on it. */
export async function withdrawProvider(cluster: Cluster, slug: string, withinMs: number): Promise<boolean> {
  const answer = await cluster.ask(providerAddress(slug), { type: 'provider.withdraw' }, { withinMs, repeat: same });
  return (answer as { readonly changed: boolean }).changed;
}

function explainProvider(view: View): readonly string[] {
  const { slug, facts, declaredAt, document, keyRefusal, refusals } = view.context as unknown as ProviderState;
  const since = declaredAt === null ? '' : ` since ${timeOf(declaredAt)}`;
  const lines = [...explainPause(view.context as Pausable, `providers resume ${slug}`)];
  if (document !== undefined) lines.push(explainReading(document));
  if (keyRefusal != null) lines.push(explainKey(keyRefusal));
  if (refusals?.until != null && isRecording(refusals, view.now)) {
    lines.push(`Its raw refusals are recorded until ${timeOf(refusals.until)}.`);
  }
  if (facts !== null) return [`${facts.name} is declared${since} and shown in the catalogue as ${slug}.`, ...lines];
  if (declaredAt === null) return [`${slug} was never declared: the catalogue does not show it.`, ...lines];
  return [`This provider is withdrawn${since}: the catalogue does not show it.`];
}

function explainKey({ status, since, last }: KeyRefusal): string {
  return `It refuses our key with HTTP ${status} since ${timeOf(since)}, last at ${timeOf(last)}: set the right key.`;
}

function explainReading({ problem, endpoints, since }: DocumentReading): string {
  const declares = `${endpoints} endpoint${endpoints === 1 ? '' : 's'}`;
  if (problem === null) return `Its models document declares ${declares}, as read first at ${timeOf(since)}.`;
  return `Its models document is broken since ${timeOf(since)} and the last good one stays, with ${declares}: ${problem}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
