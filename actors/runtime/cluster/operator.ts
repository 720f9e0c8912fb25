import { parseAddress, shardOf } from '../actor/address.ts';
import { AskError } from '../actor/answer.ts';
import { isReserved } from '../actor/cascade/system-message.ts';
import { type ChartView, chartViewOf } from '../actor/charts/chart-view.ts';
import type { RegisteredKind } from '../actor/charts/register.ts';
import type { ActorEvent, Json } from '../actor/event.ts';
import { deadLettersOf, viewOfDeadLetter } from '../durable/dead-letters.ts';
import type { CommittedStep, Engine, EngineGauges, Inspection, QuarantinedActor, Reloaded } from '../durable/engine.ts';
import type { Clock } from '../ports/clock.ts';
import { textOf } from '../ports/log.ts';
import type { ActorCountRow, ClusterEvent, NodeRow, RowQuery, RowRecord, ShardRow, Store } from '../ports/store.ts';
import type { Calls } from './calls.ts';
import type {
  ActorHistory,
  ActorsPage,
  ActorsQuery,
  AskOptions,
  ClusterView,
  HostAnswer,
  MemberView,
  NodeRestarts,
  Operator,
  StoreOutage,
} from './cluster.ts';
import { membersOf, pastOf, withResidents } from './cluster-view.ts';
import type { Cause, Deaths } from './membership/deaths.ts';
import { isAlive, type Member } from './membership/member.ts';
import type { NodeParts } from './node-parts.ts';
import { RecordedSteps } from './recorded-steps.ts';
import type { Router } from './router.ts';
import type { Ownership } from './shards/ownership.ts';
import type { ShardMap } from './shards/shard-map.ts';
import type { ControlCall } from './signal.ts';
import { listActors } from './stored-actors.ts';
import type { ClusterWatchers } from './watchers.ts';

const GAUGES_MS = 1_000;
/** How long `ps` waits for the store; an operator asks most urgently when it does not answer. */
const PS_STORE_MS = 2_000;
const NO_ANSWER = 'the store does not answer';
const INSPECT_MS = 3_000;
const DRAIN_CALL_MS = 3_000;
const RETRY_MS = 50;
const DEAD_LETTER_MS = 10_000;

interface OperatorParts {
  readonly self: string;
  readonly engine: Engine;
  readonly map: ShardMap;
  readonly member: Member;
  readonly ownership: Ownership;
  readonly router: Router;
  readonly calls: Calls;
  readonly watchers: ClusterWatchers;
  readonly deaths: Deaths;
  readonly store: Store;
  readonly kinds: readonly RegisteredKind[];
  readonly clock: Clock;
  readonly host: Pick<NodeParts, 'onDrain' | 'hostCalls'>;
}

/** A node's report for `ps`, with the restarts of its launcher's nodes. */
interface NodeReport {
  readonly gauges: EngineGauges;
  readonly startedAt: number;
  readonly memoryBytes: number;
  readonly restarts: readonly NodeRestarts[];
}

interface StoredView {
  readonly counts: readonly ActorCountRow[];
  readonly deadLetters: readonly RowRecord[];
  /** Null: the store answered. */
  readonly failure: string | null;
}

/** The operator's view and control of the whole cluster, at any node. Reads of an actor go to its owner. */
export class ClusterOperator implements Operator {
  readonly history: ActorHistory;
  readonly #parts: OperatorParts;
  readonly #startedAt: number;
  readonly #restarts = new Map<string, NodeRestarts>();

  constructor(parts: OperatorParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.history = new RecordedSteps(parts);
  }

  async ps(): Promise<ClusterView> {
    const { member, map, ownership, clock } = this.#parts;
    const isAnswered = await this.#within(member.beat(), PS_STORE_MS).catch(() => false);
    const { nodes } = member.view;
    const shown = this.members();
    const [reports, quarantined, residents, stored] = await Promise.all([
      Promise.all(shown.map((row) => (isAlive(row) ? this.#report(row) : null))),
      Promise.all(shown.map((row) => (isAlive(row) ? this.#quarantined(row) : []))),
      Promise.all(shown.map((row) => (isAlive(row) ? this.#residents(row) : []))),
      isAnswered ? this.#stored() : { counts: [], deadLetters: [], failure: NO_ANSWER },
    ]);
    const restarts = new Map(reports.flatMap((report) => report?.restarts ?? []).map((one) => [one.name, one]));
    return {
      nodes: shown.map((row, index) => ({
        ...row,
        gauges: reports[index]?.gauges ?? null,
        startedAt: reports[index]?.startedAt ?? null,
        memoryBytes: reports[index]?.memoryBytes ?? null,
        ...pastOf(row, nodes, restarts.get(row.name), clock.now()),
      })),
      shardCount: map.count,
      unowned: ownership.unowned,
      deadLetters: stored.deadLetters.map(viewOfDeadLetter),
      actorCounts: withResidents(stored.counts, residents),
      quarantined: quarantined.flat(),
      outage: stored.failure === null ? null : this.#outage(stored.failure),
    };
  }

  members(): readonly MemberView[] {
    return membersOf(this.#parts.member.view, this.#parts.map);
  }

  watchMembers(see: () => void): () => void {
    return this.#parts.watchers.members.watch(see);
  }

  /** What only the store knows, unless it does not answer in time. */
  async #stored(): Promise<StoredView> {
    const { store } = this.#parts;
    const read = Promise.all([store.actorCounts(), store.rows(deadLettersOf(null))]);
    try {
      const [counts, deadLetters] = await this.#within(read, PS_STORE_MS);
      return { counts, deadLetters, failure: null };
    } catch (error) {
      return { counts: [], deadLetters: [], failure: textOf(error) };
    }
  }

  #outage(failure: string): StoreOutage {
    const { clock, member } = this.#parts;
    const { ageMs, failure: known } = member.contact;
    return { since: Math.round(clock.now() - ageMs), why: known ?? failure };
  }

  #within<T>(work: Promise<T>, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = this.#parts.clock.after(ms, () => reject(new Error(NO_ANSWER)));
      work.then(resolve, reject).finally(late);
    });
  }

  async reload(address: string): Promise<Reloaded> {
    const { engine } = this.#parts;
    const reply = await this.#atOwner(address, () => engine.reload(address), { verb: 'reload', address });
    return reply as unknown as Reloaded;
  }

  async inspect(address: string): Promise<Inspection | null> {
    const { engine, member } = this.#parts;
    const here = async () => ({ served: true, inspection: await engine.inspect(address) });
    const reply = await this.#atOwner(address, here, { verb: 'inspect', address });
    const { inspection } = reply as unknown as { readonly inspection: Inspection | null };
    if (inspection === null) return null;
    const names = new Map(member.view.nodes.map(({ incarnation, name }) => [incarnation, name]));
    const named = ({ runner }: Inspection['activities'][number]) => ({ runnerNode: names.get(runner) ?? null });
    return { ...inspection, activities: inspection.activities.map((one) => ({ ...one, ...named(one) })) };
  }

  /** Calls the owner of an actor; waits briefly through a takeover. Rejects if no owner is reachable. */
  async #atOwner(address: string, here: () => Promise<object>, call: ControlCall): Promise<object> {
    const { map, engine, self, clock, calls, member } = this.#parts;
    if (!parseAddress(address)) throw new Error(`"${address}" is no address: kind:owner or kind:owner/local`);
    const shard = shardOf(address, map.count);
    const until = clock.monotonic() + INSPECT_MS;
    while (clock.monotonic() < until) {
      if (engine.epochOf(shard) !== null) {
        const reply = await here();
        if (isServed(reply)) return reply;
      }
      const owner = map.ownerOf(shard);
      if (owner !== null && owner !== self && member.alive(owner)) {
        try {
          const reply = (await calls.call(owner, call, until - clock.monotonic())) as unknown as object;
          if (isServed(reply)) return reply;
        } catch {
          // The owner has left: the next one is asked.
        }
      }
      await new Promise<void>((resolve) => clock.after(RETRY_MS, resolve));
    }
    throw new AskError(address, { code: 'moved', owner: map.ownerOf(shard), epoch: map.row(shard).epoch });
  }

  watch(pattern: string, see: (step: CommittedStep) => void): () => void {
    return this.#parts.watchers.watchSteps(pattern, see);
  }

  shards(): readonly ShardRow[] {
    const { map } = this.#parts;
    return Array.from({ length: map.count }, (_, shard) => map.row(shard));
  }

  async drain(node: string): Promise<void> {
    const { member, self, calls, host } = this.#parts;
    const row = member.view.nodes.find((it) => isAlive(it) && (it.name === node || it.incarnation === node));
    if (!row) throw new Error(`no living node is called "${node}"`);
    if (row.incarnation === self) host.onDrain();
    else await calls.call(row.incarnation, { verb: 'drain' }, DRAIN_CALL_MS);
  }

  rows(query: RowQuery): Promise<readonly RowRecord[]> {
    return this.#parts.store.rows(query);
  }

  rowById(collection: string, id: string): Promise<RowRecord | null> {
    return this.#parts.store.rowById(collection, id);
  }

  actors(query: ActorsQuery): Promise<ActorsPage> {
    return listActors(this.#parts, query);
  }

  events(query: { readonly after?: number; readonly limit: number }): Promise<readonly ClusterEvent[]> {
    return this.#parts.store.clusterEvents(query);
  }

  counts(): Promise<readonly ActorCountRow[]> {
    return this.#parts.store.actorCounts();
  }

  charts(): readonly ChartView[] {
    return this.#parts.kinds.map(chartViewOf);
  }

  ask(to: string, event: ActorEvent, options: AskOptions): Promise<Json> {
    const { type } = event;
    if (!isReserved(type)) return this.#parts.router.ask(to, event, options);
    return Promise.reject(new AskError(to, { code: 'failed', detail: `${type} is the runtime's own event type` }));
  }

  retry(address: string, id: string): Promise<boolean> {
    return this.#resume('$retry', address, id);
  }

  skip(address: string, id: string): Promise<boolean> {
    return this.#resume('$skip', address, id);
  }

  async askHosts(name: string, input: Json, node?: string): Promise<readonly HostAnswer[]> {
    const rows = this.#parts.member.view.nodes.filter(
      (row) => isAlive(row) && (node === undefined || row.name === node),
    );
    const answers = rows.map((row) => this.#askHost(row, { verb: 'host', name, input }));
    return (await Promise.all(answers)).map((answer, i) => ({ node: (rows[i] as NodeRow).name, answer }));
  }

  async #askHost({ incarnation }: NodeRow, call: ControlCall): Promise<Json> {
    const { self, calls } = this.#parts;
    try {
      return await (incarnation === self ? this.serve(call) : calls.call(incarnation, call, GAUGES_MS));
    } catch {
      return null;
    }
  }

  recordDeath(incarnation: string, cause: Cause): Promise<void> {
    return this.#parts.deaths.record(incarnation, cause);
  }

  noteRestarts(restarts: NodeRestarts): void {
    this.#restarts.set(restarts.name, restarts);
  }

  /** Sent once, without retry: the answer to a repeat would contradict the first. */
  async #resume(type: '$retry' | '$skip', address: string, id: string): Promise<boolean> {
    const receipt = await this.#parts.router.ask(address, { type, id }, { withinMs: DEAD_LETTER_MS });
    return receipt !== 'none';
  }

  /** Serves a call of an operator at another node. */
  async serve(call: ControlCall): Promise<Json> {
    const { engine, map, host } = this.#parts;
    switch (call.verb) {
      case 'report':
        return this.#own() as unknown as Json;
      case 'drain':
        host.onDrain();
        return null;
      case 'host':
        return (await host.hostCalls?.[call.name]?.(call.input)) ?? null;
      case 'missing':
        return engine.activities.missing(call.attempts).map((attempt) => ({ ...attempt }));
      case 'abort':
        engine.activities.abort(call.attempts);
        return null;
      case 'quarantined':
        return engine.quarantined() as unknown as Json;
      case 'residents':
        return engine.residentStates() as unknown as Json;
      case 'reload':
        return (await engine.reload(call.address)) as unknown as Json;
      case 'inspect': {
        const served = engine.epochOf(shardOf(call.address, map.count)) !== null;
        const inspection = served ? await engine.inspect(call.address) : null;
        return { served, inspection: inspection as unknown as Json };
      }
      default: {
        const unknown: never = call;
        throw new Error(`this node does not support ${JSON.stringify(unknown)}`);
      }
    }
  }

  async #quarantined({ incarnation, name }: NodeRow): Promise<readonly (QuarantinedActor & { node: string })[]> {
    const { self, engine, calls } = this.#parts;
    try {
      const list =
        incarnation === self
          ? engine.quarantined()
          : ((await calls.call(incarnation, { verb: 'quarantined' }, GAUGES_MS)) as unknown as QuarantinedActor[]);
      return list.map((actor) => ({ ...actor, node: name }));
    } catch {
      return [];
    }
  }

  /** Null: the node did not answer. */
  async #residents({ incarnation }: NodeRow): Promise<readonly ActorCountRow[] | null> {
    const { self, engine, calls } = this.#parts;
    if (incarnation === self) return engine.residentStates();
    try {
      return (await calls.call(incarnation, { verb: 'residents' }, GAUGES_MS)) as unknown as ActorCountRow[];
    } catch {
      return null;
    }
  }

  #own(): NodeReport {
    const { engine } = this.#parts;
    return {
      gauges: { ...engine.gauges },
      startedAt: this.#startedAt,
      memoryBytes: process.memoryUsage.rss(),
      restarts: [...this.#restarts.values()],
    };
  }

  async #report({ incarnation }: NodeRow): Promise<NodeReport | null> {
    const { self, calls } = this.#parts;
    if (incarnation === self) return this.#own();
    try {
      return (await calls.call(incarnation, { verb: 'report' }, GAUGES_MS)) as unknown as NodeReport;
    } catch {
      return null;
    }
  }
}

/** False if the shard moved before its owner could answer. */
function isServed(reply: object): boolean {
  const { served, outcome } = reply as { readonly served?: boolean; readonly outcome?: string };
  return served !== false && outcome !== 'not-served';
}
