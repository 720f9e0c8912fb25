import type { RegisteredKind } from '../actor/registered-kind.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { Adoption } from './adoption.ts';
import { CommitQueue, type Judge } from './commit-queue.ts';
import type { EngineHost } from './engine.ts';
import type { EngineLimits } from './engine-limits.ts';
import { Errands } from './errands.ts';
import { LOST } from './failures.ts';
import { Floor } from './floor.ts';
import { Gate } from './gate.ts';
import { Intents } from './intents.ts';
import { StoreJudge } from './judge.ts';
import { Keeper } from './keeper.ts';
import { Loader } from './loader.ts';
import { Outbox } from './outbox.ts';
import type { Outside } from './outside.ts';
import { Performing } from './performing.ts';
import { Quarantine } from './quarantine.ts';
import { Residents } from './residents.ts';
import { Runner } from './runner.ts';
import { Sealing } from './sealing.ts';
import { Timers } from './timers.ts';
import { Watchers } from './watchers.ts';

/** What an engine is made from. */
export interface EngineOptions {
  readonly kinds: readonly RegisteredKind[];
  readonly store: Store;
  readonly clock: Clock;
  /** The incarnation that must own the shards this engine writes. */
  readonly self: { readonly incarnation: string };
  /** How many shards the cluster has. */
  readonly shards: number;
  /** Store time, ms. */
  readonly now: () => number;
  readonly limits: EngineLimits;
  readonly host: EngineHost;
  /** Absent: nothing leaves this engine; a step that sends to another shard or asks for work fails. */
  readonly outside?: Outside;
}

/** The parts of an engine, wired to each other. */
export interface Assembly {
  readonly floor: Floor;
  readonly gate: Gate;
  readonly queue: CommitQueue;
  readonly runner: Runner;
  readonly timers: Timers;
  readonly judge: StoreJudge;
  readonly sealing: Sealing;
  readonly adoption: Adoption;
  readonly watchers: Watchers;
  /** Null where nothing may leave this engine. */
  readonly outwards: Outwards | null;
  readonly residents: Residents;
  readonly quarantine: Quarantine;
  /** Something ended: a shard that is being sealed may be done. */
  readonly eased: () => void;
}

/** The parts that reach beyond an engine's own shards. */
export interface Outwards {
  readonly outbox: Outbox;
  readonly performing: Performing;
  readonly intents: Intents;
  readonly errands: Errands;
}

/** Makes the parts. Nothing in them moves before something is adopted or delivered. */
export function assemble(options: EngineOptions): Assembly {
  const { store, clock, limits, host, now } = options;
  const log: EngineHost['log'] = (record) => host.log(record);
  const self = options.self.incarnation;
  const performers = options.outside === undefined ? null : new Set(Object.keys(options.outside.performers));
  const floor = new Floor(options.kinds, options.shards, limits.trailMax, performers);
  const gate = new Gate(host);
  const watchers = new Watchers(limits.watchersMax, log);
  const loader = new Loader(store, (cell, fault) => quarantine.put(cell, fault));
  // Queue and judge, timers and runner need each other: the later one of each pair is reached when it is needed.
  const late: Judge = {
    judged: (entries, verdicts) => judge.judged(entries, verdicts),
    unknown: (entries, detail) => judge.unknown(entries, detail),
    refused: (homes, entries, answer) => judge.refused(homes, entries, answer),
  };
  const queue = new CommitQueue({ store, clock, self, limits, judge: late });
  const timers = new Timers({
    ...{ store, clock, now, log, aheadMs: limits.timersAheadMs, shardCount: options.shards },
    fire: (home, address, event, firing) => runner.tell(home, address, event, firing),
    damaged: (home, address, fault) => quarantine.timerFault(home, address, fault),
  });
  const eased = (): void => {
    if (sealing.active) sealing.check();
  };
  const outwards = options.outside === undefined ? null : reachOut(options, options.outside, queue, () => runner);
  floor.outbox = outwards?.outbox ?? null;
  const errands = outwards?.errands ?? null;
  const residents = new Residents({ floor, queue, clock, host, residentsMax: limits.residentsMax });
  const keeper = new Keeper({
    ...{ clock, host },
    isHere: (cell) => floor.cells.get(cell.address) === cell,
    tell: (home, address, event, firing) => runner.tell(home, address, event, firing),
  });
  const runner = new Runner({
    floor,
    queue,
    gate,
    loader,
    timers,
    keeper,
    clock,
    now,
    limits,
    host,
    self,
    opened: () => residents.opened(),
    eased,
  });
  const monotonic = (): number => clock.monotonic();
  const judge = new StoreJudge({ floor, queue, gate, runner, timers, watchers, errands, host, monotonic, eased });
  const sealing = new Sealing(floor, queue, (home) => judge.drop(home, [], LOST));
  const adoption = new Adoption({ floor, runner, timers, errands, store, clock, host });
  const quarantine = new Quarantine({ floor, runner, timers, adoption, clock, host });
  return {
    ...{ floor, gate, queue, runner, timers, judge, sealing, adoption, watchers },
    ...{ residents, quarantine, outwards, eased },
  };
}

function reachOut(options: EngineOptions, outside: Outside, queue: CommitQueue, runner: () => Runner): Outwards {
  const { store, clock, now, host } = options;
  const log: EngineHost['log'] = (record) => host.log(record);
  const outbox = new Outbox({ outside, queue, clock, now, log });
  const performing = new Performing({ outside, clock, now, log });
  const self = options.self.incarnation;
  const intents = new Intents({ self, outside, performing, runner, clock, now, host });
  return { outbox, performing, intents, errands: new Errands({ outbox, intents, store, clock, host }) };
}
