import type { RegisteredKind } from '../../actor/registered-kind.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { CommitQueue, type Judge } from '../commit/commit-queue.ts';
import { StoreJudge } from '../commit/judge.ts';
import { OutputGate } from '../commit/output-gate.ts';
import { Activities } from '../outgoing/activities.ts';
import { ActivityRunner } from '../outgoing/activity-runner.ts';
import type { ClusterPort } from '../outgoing/cluster-port.ts';
import { Outbox } from '../outgoing/outbox.ts';
import { Outgoing } from '../outgoing/outgoing.ts';
import { Quarantine } from '../quarantine/quarantine.ts';
import { Replay } from '../quarantine/replay.ts';
import { Adoption } from '../residency/adoption.ts';
import { Loader } from '../residency/loader.ts';
import { Quiescence } from '../residency/quiescence.ts';
import { Residents } from '../residency/residents.ts';
import { Timers } from '../timers/timers.ts';
import { CellRegistry } from './cell-registry.ts';
import { Dispatcher } from './dispatcher.ts';
import type { EngineHost } from './engine.ts';
import type { EngineLimits } from './engine-limits.ts';
import { LOST } from './failures.ts';
import { StepWatchers } from './step-watchers.ts';

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

/** The connected parts of an engine. */
export interface Assembly {
  readonly registry: CellRegistry;
  readonly outputGate: OutputGate;
  readonly queue: CommitQueue;
  readonly dispatcher: Dispatcher;
  readonly timers: Timers;
  readonly judge: StoreJudge;
  readonly quiescence: Quiescence;
  readonly adoption: Adoption;
  readonly watchers: StepWatchers;
  /** Null for an engine without a cluster port. */
  readonly outgoing: OutgoingAssembly | null;
  readonly residents: Residents;
  readonly quarantine: Quarantine;
  /** Work ended, so a shard that is being released may be quiescent. */
  readonly eased: () => void;
}

/** The parts that send to other shards and run activities. */
export interface OutgoingAssembly {
  readonly outbox: Outbox;
  readonly activityRunner: ActivityRunner;
  readonly activities: Activities;
  readonly outgoing: Outgoing;
}

/** Creates the parts. They stay idle until a shard is adopted or an event is delivered. */
export function assemble(options: EngineOptions): Assembly {
  const { store, clock, limits, host, now } = options;
  const log: EngineHost['log'] = (record) => host.log(record);
  const self = options.self.incarnation;
  const activities = options.clusterPort === undefined ? null : new Set(Object.keys(options.clusterPort.activities));
  const registry = new CellRegistry(options.kinds, options.shards, limits.trailMax, activities);
  const outputGate = new OutputGate(host);
  const watchers = new StepWatchers(limits.watchersMax, log);
  const loader = new Loader(store, (cell, fault) => quarantine.put(cell, fault));
  // Queue and judge, timers and dispatcher depend on each other: closures resolve the later of each pair on use.
  const late: Judge = {
    judged: (entries, verdicts) => judge.judged(entries, verdicts),
    unknown: (entries, detail) => judge.unknown(entries, detail),
    refused: (shards, entries, answer) => judge.refused(shards, entries, answer),
  };
  const queue = new CommitQueue({ store, clock, self, limits, judge: late, host });
  const timers = new Timers({
    ...{ store, clock, now, log, aheadMs: limits.timersAheadMs, shardCount: options.shards },
    fire: (shard, address, event, firing) => dispatcher.enqueue(shard, address, event, firing),
    damaged: (shard, address, fault) => quarantine.timerFault(shard, address, fault),
  });
  const eased = (): void => {
    if (quiescence.active) quiescence.check();
  };
  const outwards =
    options.clusterPort === undefined ? null : assembleOutgoing(options, options.clusterPort, queue, () => dispatcher);
  registry.outbox = outwards?.outbox ?? null;
  const outgoing = outwards?.outgoing ?? null;
  const residents = new Residents({ registry, queue, clock, host, residentsMax: limits.residentsMax });
  const replay = new Replay({
    ...{ clock, host },
    isHere: (cell) => registry.cells.get(cell.address) === cell,
    enqueue: (shard, address, event, firing) => dispatcher.enqueue(shard, address, event, firing),
  });
  const dispatcher = new Dispatcher({
    registry,
    queue,
    outputGate,
    loader,
    timers,
    replay,
    clock,
    now,
    ...{ limits, host, watchers, self },
    opened: () => residents.opened(),
    eased,
  });
  const monotonic = (): number => clock.monotonic();
  const judge = new StoreJudge({
    registry,
    queue,
    outputGate,
    dispatcher,
    timers,
    watchers,
    outgoing,
    host,
    monotonic,
    eased,
  });
  const quiescence = new Quiescence(registry, queue, (shard) => judge.drop(shard, [], LOST));
  const adoption = new Adoption({ registry, dispatcher, timers, outgoing, store, clock, host });
  const quarantine = new Quarantine({ registry, dispatcher, timers, adoption, clock, host });
  return {
    ...{ registry, outputGate, queue, dispatcher, timers, judge, quiescence, adoption, watchers },
    ...{ residents, quarantine, outgoing: outwards, eased },
  };
}

function assembleOutgoing(
  options: EngineOptions,
  clusterPort: ClusterPort,
  queue: CommitQueue,
  dispatcher: () => Dispatcher,
): OutgoingAssembly {
  const { store, clock, now, host } = options;
  const log: EngineHost['log'] = (record) => host.log(record);
  const outbox = new Outbox({ clusterPort, queue, clock, now, log });
  const self = options.self.incarnation;
  const activityRunner = new ActivityRunner({ self, clusterPort, clock, now, log });
  const activities = new Activities({ self, clusterPort, activityRunner, dispatcher, clock, now, host });
  return { outbox, activityRunner, activities, outgoing: new Outgoing({ outbox, activities, store, clock, host }) };
}
