import type { Answer } from '../../actor/answer.ts';
import type { Cell } from '../../actor/cascade/cell.ts';
import type { RegisteredKind } from '../../actor/charts/register.ts';
import { shownState } from '../../actor/charts/snapshot.ts';
import type { Json } from '../../actor/event.ts';
import { stateText } from '../../actor/state-text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EngineLimits } from '../../ports/limits.ts';
import type { ActorCountRow, Store } from '../../ports/store.ts';
import type { ClusterPort } from '../cluster-port.ts';
import { CommitQueue } from '../commit/commit-queue.ts';
import { OutputGate } from '../commit/output-gate.ts';
import { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Delivery, Engine, EngineGauges, EngineHost, RunningActivities } from '../engine.ts';
import { LOST } from '../failures.ts';
import { ActivityOwner } from '../outgoing/activity-owner.ts';
import { ActivityRunner } from '../outgoing/activity-runner.ts';
import { Outbox } from '../outgoing/outbox.ts';
import { Outgoing } from '../outgoing/outgoing.ts';
import { CellRegistry } from '../residency/cell-registry.ts';
import { Loader } from '../residency/loader.ts';
import { Quiescence } from '../residency/quiescence.ts';
import { Residents } from '../residency/residents.ts';
import { Shard } from '../shard.ts';
import { Timers } from '../timers/timers.ts';
import { Adoption } from './adoption.ts';
import { deliver } from './deliver.ts';
import { inspect } from './inspection.ts';
import { StoreJudge } from './judge.ts';
import { Quarantine } from './quarantine.ts';

/** The dependencies and settings of an engine. */
export interface EngineOptions {
  readonly kinds: readonly RegisteredKind[];
  readonly store: Store;
  readonly clock: Clock;
  /** The incarnation that must own the shards this engine writes. */
  readonly self: { readonly incarnation: string; readonly name: string };
  /** Number of shards in the cluster. */
  readonly shards: number;
  /** Store time, ms. */
  readonly now: () => number;
  readonly limits: EngineLimits;
  readonly host: EngineHost;
  /** If absent, a step that sends to another shard or starts an activity fails. */
  readonly clusterPort?: ClusterPort;
}

/** The connected parts of an engine. Those that need a cluster port are null for an engine without one. */
type Assembly = ReturnType<typeof assemble>;

/** Creates the actor host of one node, without shards. It starts no timer and reads no store before `adopt`. */
export function createEngine(options: EngineOptions): Engine {
  const { clock, host } = options;
  const { name: node } = options.self;
  const parts = assemble(options);
  const { registry, timers, adoption, quarantine, activityOwner } = parts;
  return {
    adopt(id, epoch) {
      const held = registry.shards.get(id);
      if (held !== undefined && held.epoch === epoch && held.serving === 'live') return;
      if (held !== undefined) drop(parts, held);
      const shard = new Shard(id, { epoch, node }, clock.monotonic());
      registry.place(shard);
      adoption.add(shard);
    },
    async release(id) {
      const shard = registry.shards.get(id);
      if (shard !== undefined) await release(parts, shard);
    },
    drop(id) {
      const shard = registry.shards.get(id);
      if (shard !== undefined) drop(parts, shard);
    },
    epochOf: (id) => registry.shards.get(id)?.epoch ?? null,
    loadedOf: (id) => registry.shards.get(id)?.cells.size ?? 0,
    deliver: (delivery, answer) => deliver(parts, delivery, tracedAnswer(host, delivery, answer)),
    nodeDead(incarnation) {
      adoption.nodeDead(incarnation);
      activityOwner?.examine();
    },
    inspect: (address) => inspect({ ...parts, self: options.self.incarnation }, address),
    quarantined: () => quarantine.list(),
    residentStates: () => residentStates(registry.cells.values()),
    reload: (address) => quarantine.reload(address),
    gauges: gaugesOf(parts),
    activities: activitiesOf(parts),
    async close() {
      await Promise.all([...registry.shards.values()].map((shard) => release(parts, shard)));
      timers.close();
      activityOwner?.close();
    },
  };
}

/**
 * Creates the parts, each from those before it. Two feed back: due timers enter the dispatcher, whose steps set timers,
 * and the queue's outcomes go to the judge, which hands over the next batch. They stay idle until a shard is adopted.
 */
function assemble(options: EngineOptions) {
  const { store, clock, limits, host, now, kinds, shards, clusterPort } = options;
  const { log } = host;
  const self = options.self.incarnation;
  const outputGate = new OutputGate(host);
  const queue = new CommitQueue({ store, clock, self, limits, host });
  const timers = new Timers({ store, clock, now, log, aheadMs: limits.timersAheadMs, shardCount: shards });
  const outbox = clusterPort === undefined ? null : new Outbox({ clusterPort, queue, clock, now, log });
  const activityRunner = clusterPort === undefined ? null : new ActivityRunner({ self, clusterPort, clock, now, log });
  const activities = clusterPort === undefined ? null : new Set(Object.keys(clusterPort.activities));
  const registry = new CellRegistry({ kinds, shards, transitionsMax: limits.transitionsMax, activities, outbox, log });
  const loader = new Loader(store, registry);
  const residents = new Residents({ registry, queue, clock, host, residentsMax: limits.residentsMax });
  const quiescence = new Quiescence(registry, queue);
  const base = { registry, queue, outputGate, timers, quiescence, residents, clock, host, now };
  const dispatcher = new Dispatcher({ ...base, loader, limits, self });
  timers.start(dispatcher);
  let activityOwner: ActivityOwner | null = null;
  let outgoing: Outgoing | null = null;
  if (clusterPort !== undefined && activityRunner !== null && outbox !== null) {
    activityOwner = new ActivityOwner({ self, clusterPort, activityRunner, dispatcher, clock, now, host });
    outgoing = new Outgoing({ outbox, activityOwner, store, clock, host });
  }
  const judge = new StoreJudge({ ...base, dispatcher, outgoing });
  queue.start(judge);
  const adoption = new Adoption({ registry, dispatcher, timers, outgoing, store, clock, host });
  const quarantine = new Quarantine({ registry, dispatcher, timers, adoption, clock });
  return { ...base, store, dispatcher, judge, adoption, quarantine, outbox, activityRunner, activityOwner, outgoing };
}

/** The answer; the host is called first if the event has a trace id. */
function tracedAnswer(
  { traced }: EngineHost,
  { trace, event }: Delivery,
  answer: ((answer: Answer) => void) | null,
): typeof answer {
  if (trace === undefined || traced === undefined || answer === null) return answer;
  const ended = traced(trace, event.type);
  return (given) => {
    ended();
    answer(given);
  };
}

function residentStates(cells: Iterable<Cell>): readonly ActorCountRow[] {
  const counts = new Map<string, ActorCountRow>();
  for (const { kind, snapshot } of cells) {
    if (!kind.kind.resident || snapshot === null) continue;
    const { name, version: chart } = kind.kind;
    const state = shownState(kind.kind, stateText(snapshot.value), snapshot.context as Json);
    const count = (counts.get(`${name} ${state}`)?.count ?? 0) + 1;
    counts.set(`${name} ${state}`, { kind: name, state, chart, count });
  }
  return [...counts.values()];
}

function drop({ dispatcher, judge, queue, quiescence }: Assembly, shard: Shard): void {
  dispatcher.after(() => judge.drop(shard, queue.inFlightOf(shard), LOST));
  quiescence.check();
}

async function release({ timers, quiescence, outgoing, judge }: Assembly, shard: Shard): Promise<void> {
  timers.pause(shard);
  outgoing?.pause(shard);
  await quiescence.start(shard, () => judge.drop(shard, [], LOST));
}

function gaugesOf(parts: Assembly): EngineGauges {
  const { registry, queue, dispatcher, residents, quarantine, outbox, activityRunner } = parts;
  return {
    get cells() {
      return registry.cells.size;
    },
    get evicted() {
      return residents.evicted;
    },
    get quarantined() {
      return quarantine.size;
    },
    get queued() {
      let queued = 0;
      for (const shard of registry.shards.values()) queued += shard.mails;
      return queued;
    },
    get commitsInFlight() {
      return queue.inFlight;
    },
    get entriesWaiting() {
      return queue.waiting;
    },
    get commitLagMs() {
      return queue.lagMs;
    },
    get steps() {
      return dispatcher.steps;
    },
    get unhandled() {
      return dispatcher.unhandled;
    },
    get deadLetters() {
      return dispatcher.deadLetters + (outbox?.deadLetters ?? 0);
    },
    get commits() {
      return queue.commits;
    },
    get entries() {
      return queue.entries;
    },
    get activities() {
      return activityRunner?.size ?? 0;
    },
  };
}

function activitiesOf({ activityRunner }: Assembly): RunningActivities {
  return {
    get size() {
      return activityRunner?.size ?? 0;
    },
    serve: () => activityRunner?.serve(),
    pause: () => activityRunner?.pause(),
    missing: (attempts) => attempts.filter((attempt) => !activityRunner?.has(attempt)),
    abort: (attempts) => {
      for (const attempt of attempts) activityRunner?.abort(attempt);
    },
    finish: async (finishing) => activityRunner?.finish(finishing),
    abortAll: (why) => activityRunner?.abortAll(why),
  };
}
