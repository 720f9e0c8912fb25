import type { PaidIn } from '../../actors/account/deposits.ts';
import type { EndpointRecord } from '../../actors/endpoint/record.ts';
import type { ProviderState } from '../../actors/provider/provider.machine.ts';
import type { ClusterView, Inspection, RowReader } from '../../actors/runtime/index.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { providerAddress } from '../../actors/terms/ids.ts';
import { explainPause, type Pausable } from '../../actors/terms/pause.ts';
import { type Inspector, inspectAll } from './ask-all.ts';
import { findAddress, kindOfId } from './find-address.ts';
import { endpointsAt, explainProviderHealth, providerHealth } from './provider-health.ts';

/** A node's own operator, or the client of one. */
interface Explainer extends Inspector, Pick<RowReader, 'rows' | 'rowById'> {
  ps(): Promise<ClusterView>;
}

type Explained = Pick<Inspection, 'address' | 'state' | 'explanation'>;

/**
 * An actor with its explanation, and what the actor does not know: the names of the nodes that run its work, a pause of
 * the provider of an endpoint, and the health of a provider's endpoints. `name` is an address, or an id without its account; a generation is explained from its
 * row, with the address of its account, and so is a deposit.
 */
export async function explained(operator: Explainer, name: string): Promise<Explained | null> {
  if (kindOfId(name) === 'generation') return explainedGeneration(operator, name);
  const deposit = kindOfId(name) === 'deposit' ? await explainedDeposit(operator, name) : null;
  if (deposit !== null) return deposit;
  const address = await findAddress(operator, name);
  return address === null ? null : explainedActor(operator, address);
}

async function explainedGeneration(operator: Explainer, id: string): Promise<Explained | null> {
  const row = await operator.rowById('generation', id);
  if (row === null) return null;
  const generation = JSON.parse(row.body) as Generation;
  const lines = [...explainGeneration(generation), `It belongs to ${row.address}, requested with ${generation.key}.`];
  return withNodeNames(operator, { address: row.address, state: generation.status, explanation: lines });
}

function explainGeneration(one: Generation): readonly string[] {
  const { status, model, provider, amount, settlement, release, createdAt, endedAt, gateway } = one;
  const what = `${model} at ${provider}`;
  const ended = new Date(endedAt ?? createdAt).toISOString();
  if (status === 'running') {
    const runner = gateway === null ? 'by a job' : `by ${gateway}`;
    return [`${what} has run since ${new Date(createdAt).toISOString()}; ${amount} USD are held ${runner}.`];
  }
  const tries = [...(settlement?.attempts ?? release?.attempts ?? [])].filter(({ outcome }) => outcome !== 'served');
  const failures = tries.map(({ provider: by, outcome, reason, status: code }) => {
    return `An attempt at ${by} was ${outcome}: ${reason ?? code ?? 'no reason is recorded'}.`;
  });
  if (settlement === null) {
    const answer = release?.status == null ? '' : ` (answered ${release.status})`;
    return [`${what} ended at ${ended} without a charge: ${release?.reason ?? 'released'}${answer}.`, ...failures];
  }
  const late = one.late ? [`The charge came after the release of its hold of ${amount} USD.`] : [];
  const overshoot = one.overshoot === null ? [] : [`The charge exceeded its hold by ${one.overshoot} USD.`];
  return [`${what} was charged ${settlement.cost} USD at ${ended}.`, ...late, ...overshoot, ...failures];
}

/** Null where nothing was credited: a payment explains itself. */
async function explainedDeposit(operator: Explainer, id: string): Promise<Explained | null> {
  const row = await operator.rowById('deposit', id);
  if (row === null) return null;
  const { amount, at, reason, sequence, balance, source } = JSON.parse(row.body) as PaidIn;
  const by = source === undefined ? 'by an operator' : `by transaction ${source.transaction} on ${source.network}`;
  const why = reason === null ? '' : `: ${reason}`;
  const credited = `${amount} USD were credited to ${row.address} at ${new Date(at).toISOString()} ${by}${why}.`;
  const entry = `It is entry ${sequence} of the ledger; the balance was ${balance} USD after it.`;
  return { address: row.address, state: 'credited', explanation: [credited, entry] };
}

async function explainedActor(operator: Explainer, address: string): Promise<Explained | null> {
  const found = await operator.inspect(address);
  if (found === null) return found;
  if (address.startsWith('endpoint:')) return withProviderPause(operator, found);
  if (address.startsWith('provider:')) return withEndpoints(operator, found);
  return found.activities.length === 0 ? found : withNodeNames(operator, found);
}

async function withEndpoints(operator: Inspector, found: Inspection): Promise<Inspection> {
  const state = found.context as unknown as ProviderState | null;
  if (!state?.facts) return found;
  const endpoints = endpointsAt(state.slug, await inspectAll(operator, 'endpoint'));
  const health = explainProviderHealth(providerHealth(endpoints, state.paused ?? null));
  return { ...found, explanation: [...found.explanation.slice(0, 1), ...health, ...found.explanation.slice(1)] };
}

async function withNodeNames(operator: Explainer, found: Explained): Promise<Explained> {
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
function explainProviderPause(slug: string, provider: Pausable): readonly string[] {
  return explainPause(provider, `providers resume ${slug}`).map((line) => line.replace('paused it', `paused ${slug}`));
}
