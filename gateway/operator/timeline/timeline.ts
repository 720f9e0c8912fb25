/**
 * One request on a time line over the actors that it touched, made of its stored rows and of the steps that actors keep:
 * no actor is loaded for it.
 */
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import type { Cluster, ClusterEvent } from '../../../actors/runtime/index.ts';
import { lastEntryBefore } from '../../../actors/terms/audit.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { AttemptRecord, Generation } from '../../../actors/terms/hold.ts';
import { endpointAddress, webhookAddress } from '../../../actors/terms/ids.ts';
import { chargeParts, consumedParts } from '../../pricing/charge-parts.ts';
import { costOf, stateOf } from '../lists/find-generations.ts';
import { ActorNames } from '../names.ts';
import { deliveriesOf, jobOf } from './jobs-of.ts';
import { repeatsOf } from './repeats.ts';

/** Newest steps of an actor, and newest cluster events, that are looked through. */
const STEPS_MAX = 200;
const EVENTS_MAX = 1_000;
/** The charge is among so many newest entries of its instant. */
const ENTRIES_MAX = 50;

interface Span {
  readonly at: number;
  readonly endedAt: number | null;
  /** Address. */
  readonly actor: string;
  readonly what: string;
  readonly node: string | null;
  readonly epoch: number | null;
  readonly version: number | null;
  readonly detail: string | null;
}

type Reader = Pick<Cluster, 'rows' | 'operator' | 'board'>;

interface Found {
  /** Address. */
  readonly account: string;
  readonly generation: Generation;
}

export async function timelineOf(cluster: Reader, { account, generation: row }: Found): Promise<object> {
  const events = await cluster.operator.events({ limit: EVENTS_MAX });
  const node = nodeOf(row, events);
  const entry = row.settlement === null ? null : await chargeEntry(cluster, account, row);
  const spans = [
    ...admissionOf(account, row, node),
    ...attemptsOf(row, node),
    ...endOf(account, row, entry),
    ...(await jobSpans(cluster, account, row)),
  ];
  const steps = await stepsOf(cluster, spans);
  return {
    id: row.generation,
    status: stateOf(row),
    account,
    accountName: await new ActorNames(cluster.rows).of(account),
    model: row.model,
    spans: spans.map((span) => withStep(span, steps)).sort((a, b) => a.at - b.at),
    breaks: breaksOf(row, events),
    charge: partsOf(cluster, row),
    total: costOf(row),
    held: row.amount,
    ...countOf(row),
    hints: await repeatsOf(cluster.rows, row),
  };
}

const NOWHERE = { node: null, epoch: null, version: null } as const;

/** Of a live request its own node; a job outlives every node. */
function nodeOf({ gateway }: Generation, events: readonly ClusterEvent[]): string | null {
  if (gateway === null) return null;
  return events.find(({ incarnation }) => incarnation === gateway)?.node ?? gateway;
}

function admissionOf(account: string, row: Generation, node: string | null): readonly Span[] {
  const { createdAt, key, amount, settlement, release, moves = [], endedAt } = row;
  const waited = settlement?.admittedMs ?? release?.admittedMs ?? 0;
  const first = moves[0]?.amount ?? amount;
  const moved = moves.length === 0 ? null : `moved ${moves.length} times; ${amount} USD at the end`;
  return [
    { ...NOWHERE, at: createdAt - waited, endedAt: createdAt, actor: key, what: 'admission', node, detail: null },
    { ...NOWHERE, at: createdAt, endedAt, actor: account, what: `hold of ${first} USD`, detail: moved },
  ];
}

/** Attempts follow each other; only their durations are kept, so that the begin of a later one is worked out. */
function attemptsOf(row: Generation, node: string | null): readonly Span[] {
  const { settlement, release, createdAt, endedAt, endpoint, provider, status } = row;
  const attempts = settlement?.attempts ?? release?.attempts ?? [];
  if (status === 'running') {
    const actor = endpointAddress(endpoint);
    return [{ ...NOWHERE, at: createdAt, endedAt, actor, what: `attempt at ${provider}`, node, detail: 'it runs' }];
  }
  let at = createdAt;
  return attempts.map((attempt): Span => {
    const begun = at;
    at += attempt.latencyMs ?? 0;
    const ended = attempt.outcome === 'served' ? endedAt : at;
    const actor = endpointAddress(attempt.endpoint);
    return {
      ...NOWHERE,
      at: begun,
      endedAt: ended,
      actor,
      what: `attempt at ${attempt.provider}`,
      node,
      detail: wordsOf(attempt),
    };
  });
}

function wordsOf({ outcome, status, reason, latencyMs }: AttemptRecord): string {
  const facts = [
    outcome,
    status === null ? '' : `answered ${status}`,
    reason ?? '',
    latencyMs === null ? '' : `first part after ${latencyMs} ms`,
  ];
  return facts.filter((fact) => fact !== '').join(', ');
}

function endOf(account: string, row: Generation, entry: LedgerEntry | null): readonly Span[] {
  const { endedAt, settlement, release, key, late, overshoot } = row;
  if (endedAt === null) return [];
  const span = { ...NOWHERE, at: endedAt, endedAt } as const;
  if (settlement === null) {
    return [{ ...span, actor: account, what: 'release', detail: release?.reason ?? null }];
  }
  const notes = [
    late ? 'after its hold was released' : '',
    overshoot === null ? '' : `${overshoot} USD above its hold`,
  ];
  const detail = notes.filter((note) => note !== '').join(', ') || null;
  const booked =
    entry === null
      ? []
      : [{ ...span, actor: account, what: `ledger entry ${entry.sequence}`, detail: `balance ${entry.balance} USD` }];
  return [
    { ...span, actor: account, what: `charge of ${settlement.cost} USD`, detail },
    ...booked,
    { ...span, actor: key, what: 'spending of the key', detail: null },
  ];
}

/** The steps of its job, which say who ran it, and the webhooks about it. */
async function jobSpans({ rows, operator }: Reader, account: string, row: Generation): Promise<readonly Span[]> {
  const job = await jobOf(rows, account, row);
  if (job === null) return [];
  const { address: actor, what } = job;
  const [steps, deliveries] = await Promise.all([
    operator.history.list(actor, { limit: STEPS_MAX }),
    deliveriesOf(rows, actor),
  ]);
  const ofJob = steps.map(({ at, event, from, to, node, epoch, version }): Span => {
    const detail = from === to ? null : `${from} to ${to}`;
    return { at, endedAt: at, actor, what: `${what}: ${event}`, node, epoch, version, detail };
  });
  const told = deliveries.map(({ id, account: owner, createdAt, endedAt, status, attempts, type }): Span => {
    const detail = `${status} after ${attempts.length} ${attempts.length === 1 ? 'attempt' : 'attempts'}`;
    return { ...NOWHERE, at: createdAt, endedAt, actor: webhookAddress(owner, id), what: `webhook ${type}`, detail };
  });
  return [...ofJob, ...told];
}

async function chargeEntry(
  { rows }: Pick<Reader, 'rows'>,
  account: string,
  { generation, endedAt }: Generation,
): Promise<LedgerEntry | null> {
  const log = { collection: 'ledger', address: account };
  const last = await lastEntryBefore<LedgerEntry>((query) => rows.rows(query), log, (endedAt ?? 0) + 1);
  if (last === null) return null;
  const after = { sort: last.sequence + 1, id: '' };
  const newest = await rows.rows({ ...log, order: 'descending', after, limit: ENTRIES_MAX });
  return newest.map(({ body }) => JSON.parse(body) as LedgerEntry).find(({ ref }) => ref === generation) ?? null;
}

type Steps = ReadonlyMap<string, Awaited<ReturnType<Cluster['operator']['history']['list']>>>;

/** The newest steps of each actor of which a span lacks its step, by address. Endpoints take none for one request. */
async function stepsOf({ operator }: Pick<Reader, 'operator'>, spans: readonly Span[]): Promise<Steps> {
  const lacking = spans.filter(({ version, actor }) => version === null && !actor.startsWith('endpoint:'));
  const read = [...new Set(lacking.map(({ actor }) => actor))].map(async (actor) => {
    return [actor, await operator.history.list(actor, { limit: STEPS_MAX })] as const;
  });
  return new Map(await Promise.all(read));
}

/** With node, epoch and version of the step that the actor took then, where it is still kept. */
function withStep(span: Span, steps: Steps): Span {
  if (span.version !== null) return span;
  const at = span.what === 'admission' ? span.endedAt : span.at;
  const step = steps.get(span.actor)?.find((one) => one.at === at);
  return step === undefined ? span : { ...span, node: step.node, epoch: step.epoch, version: step.version };
}

/** The deaths of the nodes that had it, and of any node while a job ran it again. */
function breaksOf({ gateway, attempt, createdAt, endedAt }: Generation, events: readonly ClusterEvent[]) {
  const isRunAgain = attempt > 1_000;
  return events
    .filter(({ type, at }) => type === 'died' && at >= createdAt && at <= (endedAt ?? Number.POSITIVE_INFINITY))
    .filter(({ incarnation }) => incarnation === gateway || (gateway === null && isRunAgain))
    .map(({ at, node, why }) => ({ at, node, why: why ?? 'its process ended' }))
    .reverse();
}

function partsOf({ board }: Pick<Reader, 'board'>, row: Generation) {
  const { settlement, endpoint, tariff, createdAt } = row;
  if (settlement === null) return [];
  const declared = board.topic(ENDPOINTS_TOPIC).get(endpoint) as unknown as Endpoint | undefined;
  const isOfCharge = declared?.tariff.id === tariff && settlement.media?.videoSeconds === undefined;
  return isOfCharge ? chargeParts(declared.tariff, settlement, createdAt) : consumedParts(settlement);
}

function countOf({ settlement }: Generation) {
  if (settlement === null) return { countedBy: null, rounding: null };
  const { estimated, unmeasured = [] } = settlement;
  const ours = unmeasured.length === 0 ? 'the gateway' : `the gateway (${unmeasured.join(', ')}), else the provider`;
  return { countedBy: estimated ? ours : 'the provider', rounding: 'the sum, down, at 24 decimals' };
}
