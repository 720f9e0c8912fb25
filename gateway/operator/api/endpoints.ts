import { Type } from 'typebox';
import { endpointsOn } from '../../../actors/endpoint/endpoint.ts';
import { type HalfHour, readHistory } from '../../../actors/endpoint/history.ts';
import type { EndpointRecord } from '../../../actors/endpoint/record.ts';
import type { ProviderState } from '../../../actors/provider/provider.machine.ts';
import { PROVIDERS_TOPIC } from '../../../actors/provider/provider.ts';
import { type Cluster, type ClusterView, kindOf } from '../../../actors/runtime/index.ts';
import type { DatedFailure, Endpoint, Measured, ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { endpointAddress, providerAccountId, providerAddress } from '../../../actors/terms/ids.ts';
import { PAUSES_TOPIC, type Pause } from '../../../actors/terms/pause.ts';
import { windowStart } from '../../../actors/terms/spending.ts';
import { ProviderEarnings } from '../../jobs/earnings/provider-earnings.ts';
import { explained } from '../explained.ts';
import { isAbsent, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listed, listOf, listQuery, pageOf } from '../http/pages.ts';

const ASK_MS = 4_000;
const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

const ORDERS = { latency: 'latency', success: 'success' } as const;
const KEYSET = Type.Object({ n: Type.Integer({ minimum: 0 }) });

export const endpointRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/providers',
    policy: 'viewer',
    summary: 'The declared providers: how many of their endpoints serve, why the others do not, and what failed last.',
    answers: listOf(Type.Object({}, { description: 'a provider' })),
    answer: async ({ cluster }) => ({ data: await providersOf(cluster), next: null }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/endpoints',
    policy: 'viewer',
    summary: 'The declared endpoints with health, figures and last failure; by model, or the slowest or worst first.',
    query: listQuery({
      provider: Type.Optional(Type.String({ description: 'slug of a provider' })),
      model: Type.Optional(Type.String({ description: 'id of a model' })),
      health: Type.Optional(Type.String({ description: 'healthy, degraded, down, unknown or paused' })),
      order: Type.Optional(Type.Enum(ORDERS, { description: 'the worst of this figure first' })),
    }),
    answers: listOf(Type.Object({}, { description: 'an endpoint' })),
    answer: async ({ cluster, query }) => {
      const { limit, after } = pageOf(query, KEYSET);
      const from = after?.n ?? 0;
      const found = (await matching(cluster, query)).map((row, n) => ({ row, n: n + 1 }));
      return listed(found.slice(from, from + limit + 1), limit, {
        keyOf: ({ n }) => ({ n }),
        entryOf: ({ row }) => row,
      });
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/endpoints/:id',
    policy: 'viewer',
    summary:
      'One endpoint: why it is in its health, its newest attempts, its week in half hours, what it earned today.',
    answer: ({ cluster, params }) => oneEndpoint(cluster, params.id),
  }),
];

type Row = ReturnType<typeof rowOf>;
/** An endpoint of a list. */
export type ListedEndpoint = Row;
/** A provider of a list. */
export type ListedProvider = Awaited<ReturnType<typeof providersOf>>[number];

function allEndpoints({ board }: Pick<Cluster, 'board'>): readonly Endpoint[] {
  return [...endpointsOn(board).values()] as unknown as readonly Endpoint[];
}

function rowOf(endpoint: Endpoint) {
  const { id, model, provider, healthReason, measured, paused, lastFailure } = endpoint;
  const { ttft30m, counts30m } = measured;
  return {
    id,
    address: endpointAddress(id),
    provider: provider.slug,
    model,
    health: healthOf(endpoint),
    reason: healthReason,
    paused: paused ?? null,
    latencyMs: ttft30m === null ? null : { p50: ttft30m.p50 * SECOND_MS, p99: ttft30m.p99 * SECOND_MS },
    successPercent: measured.uptime30m,
    attempts: counts30m.success + counts30m.error,
    day: dayOf(measured),
    lastFailure: failureOf(lastFailure),
  };
}

/** The medians of a day: seconds, seconds, tokens per second. */
function dayOf({ uptime1d, ttft1d, response1d, throughput1d }: Measured) {
  return {
    uptimePercent: uptime1d,
    latencySeconds: ttft1d?.p50 ?? null,
    responseSeconds: response1d?.p50 ?? null,
    tokensPerSecond: throughput1d?.p50 ?? null,
  };
}

const UNMEASURED = { uptimePercent: null, latencySeconds: null, responseSeconds: null, tokensPerSecond: null };

/** Of one whose state does not load only the address is known, and why. */
function unreadable({ address, fault }: ClusterView['quarantined'][number]): Row {
  return {
    id: address.slice(address.indexOf(':') + 1),
    address,
    provider: '',
    model: '',
    health: 'quarantined',
    reason: fault,
    paused: null,
    latencyMs: null,
    successPercent: null,
    attempts: 0,
    day: UNMEASURED,
    lastFailure: null,
  };
}

async function quarantinedOf({ operator }: Cluster, kind: 'endpoint' | 'provider') {
  const { quarantined } = await operator.ps();
  return quarantined.filter(({ address }) => kindOf(address) === kind);
}

function healthOf({ health, paused }: Endpoint): string {
  return paused === undefined ? health : 'paused';
}

/** As the console and scripts read it: the text is called `message` in every answer of this API. */
function failureOf(failure: DatedFailure | undefined) {
  if (failure === undefined) return null;
  const { category, text: message, at, since } = failure;
  return { category, message, at, since };
}

interface EndpointFilter {
  readonly provider?: string;
  readonly model?: string;
  readonly health?: string;
  readonly order?: string;
}

async function matching(cluster: Cluster, { provider, model, health, order }: EndpointFilter): Promise<readonly Row[]> {
  const broken = await quarantinedOf(cluster, 'endpoint');
  const rows = [...allEndpoints(cluster).map(rowOf), ...broken.map(unreadable)]
    .filter((row) => (provider ?? row.provider) === row.provider && (model ?? row.model) === row.model)
    .filter((row) => (health ?? row.health) === row.health);
  return rows.sort((a, b) => worst(order, b) - worst(order, a) || compare(a, b));
}

/** The larger, the sooner it is shown; what is not measured comes last. */
function worst(order: string | undefined, { latencyMs, successPercent }: Row): number {
  if (order === ORDERS.latency) return latencyMs?.p99 ?? -1;
  if (order === ORDERS.success) return successPercent === null ? -1 : 100 - successPercent;
  return 0;
}

function compare(a: Row, b: Row): number {
  const [left, right] = [`${a.model} ${a.provider} ${a.id}`, `${b.model} ${b.provider} ${b.id}`];
  return left < right ? -1 : Number(left > right);
}

async function providersOf(cluster: Cluster) {
  const pauses = cluster.board.topic(PAUSES_TOPIC);
  const endpoints = allEndpoints(cluster);
  const declared = [...cluster.board.topic(PROVIDERS_TOPIC)].map(async ([slug, value]) => {
    const { name } = value as unknown as ProviderFacts;
    const paused = (pauses.get(slug) ?? null) as Pause | null;
    const status = paused === null ? 'declared' : 'declared, paused';
    const health = summed(ofProvider(endpoints, slug), paused);
    return { ...namesOf(slug), name, status, paused, ...health, document: await documentOf(cluster, slug) };
  });
  const broken = (await quarantinedOf(cluster, 'provider')).map(({ address, fault }) => {
    const slug = address.slice('provider:'.length);
    const document = { since: null, problem: fault };
    return { ...namesOf(slug), name: null, status: 'quarantined', paused: null, ...summed([], null), document };
  });
  return [...(await Promise.all(declared)), ...broken];
}

function namesOf(slug: string) {
  return { slug, address: providerAddress(slug), account: providerAccountId(slug) };
}

/** Since when the models document is unchanged; null: never read. Providers are resident: none is loaded for it. */
async function documentOf({ operator }: Cluster, slug: string) {
  const found = await operator.inspect(providerAddress(slug));
  const { document } = (found?.context ?? {}) as unknown as Partial<ProviderState>;
  return { since: document?.since ?? null, problem: document?.problem ?? null };
}

function ofProvider(endpoints: readonly Endpoint[], slug: string): readonly Endpoint[] {
  return endpoints.filter(({ provider }) => provider.slug === slug);
}

function summed(endpoints: readonly Endpoint[], paused: Pause | null) {
  const away = endpoints.filter(({ health }) => health === 'down');
  const serving = endpoints.length - away.length;
  const failures = endpoints.flatMap(({ lastFailure }) => lastFailure ?? []);
  const last = failures.sort((a, b) => b.at - a.at)[0];
  return {
    endpoints: endpoints.length,
    serving,
    health: paused === null ? healthOfAll(endpoints) : 'paused',
    lastFailure: failureOf(last),
    why: [whyOf(endpoints.length, away, paused)],
  };
}

function healthOfAll(endpoints: readonly Endpoint[]): string {
  const worstFirst = ['down', 'degraded', 'healthy'];
  const known = new Set<string>(endpoints.map(({ health }) => health));
  if (endpoints.length > 0 && endpoints.every(({ health }) => health === 'down')) return 'down';
  if (known.has('down')) return 'degraded';
  return worstFirst.find((health) => known.has(health)) ?? 'unknown';
}

function whyOf(count: number, away: readonly Endpoint[], paused: Pause | null): string {
  const head = `${count - away.length} of ${count} serve`;
  if (paused !== null) return `${head}: paused by an operator since ${new Date(paused.since).toISOString()}.`;
  const [first] = away;
  return first === undefined ? `${head}.` : `${head}: ${first.healthReason}`;
}

async function oneEndpoint(cluster: Cluster, id: string): Promise<object> {
  const endpoint = endpointsOn(cluster.board).get(id) as unknown as Endpoint | undefined;
  if (endpoint === undefined) throw isAbsent(id);
  const address = endpointAddress(id);
  const found = await cluster.operator.inspect(address);
  if (found === null) throw isAbsent(address);
  const [why, halfHours, earned] = await Promise.all([
    explained(cluster.operator, address),
    readHistory(cluster, id),
    earnedToday(cluster, endpoint),
  ]);
  const { ring = [] } = (found.context ?? {}) as unknown as Partial<EndpointRecord>;
  const attempts = ring.toReversed().map((one) => ({ ...one, message: one.failure && messageOf(one.failure) }));
  return {
    ...rowOf(endpoint),
    why: why?.explanation ?? [],
    attemptRing: attempts,
    series: seriesOf(halfHours),
    earned,
  };
}

function messageOf({ category, text }: { readonly category: string; readonly text: string }): string {
  return `${category}: ${text}`;
}

/** What its charges of the day came to, the provider's part and the marketplace's; null where nothing was charged. */
async function earnedToday(cluster: Cluster, { id, provider: { slug } }: Endpoint) {
  const facts = cluster.board.topic(PROVIDERS_TOPIC).get(slug) as unknown as ProviderFacts | undefined;
  if (facts === undefined) return null;
  const from = windowStart('daily', cluster.now());
  const { earnings } = await new ProviderEarnings(cluster, ASK_MS).read(facts, { from, till: from + DAY_MS });
  const own = earnings.find(({ endpoint }) => endpoint === id);
  return own === undefined ? null : { charged: own.gross, provider: own.net, marketplace: own.fee };
}

function seriesOf(halfHours: readonly HalfHour[]) {
  return {
    at: halfHours.map(({ start }) => start),
    latencyMs: halfHours.map(({ ttft }) => (ttft === null ? null : ttft.p50 * SECOND_MS)),
    successPercent: halfHours.map(({ success, error }) => (success / Math.max(1, success + error)) * 100),
  };
}
