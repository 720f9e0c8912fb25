import type { ShardRow } from '../../actors/runtime/ports/store.ts';
import type { History } from './history.ts';
import type { Fault, Plan } from './plan.ts';
import type { ByteWorld } from './world/byte-world.ts';
import type { Database } from './world/database.ts';
import type { Dice } from './world/dice.ts';
import type { Fleet, NodeSlot } from './world/fleet.ts';
import type { SimulatedNetwork } from './world/network.ts';
import type { SimulatedProcess } from './world/node.ts';
import type { Scheduler } from './world/scheduler.ts';
import { SOUND } from './world/store.ts';

/** Delay after which a launcher reports the end of a process. */
const TELL_MS_MAX = 800;
const SKEW_MS_MAX = 30_000;
/** Longest latency of a frame in a slow network. */
const SLOW_MS_MAX = 5_000;
/** A longer pause makes a node stale to the others. */
const STALE_MS = 3_300;
/** Of the shards of a node that move late. */
const LATE_SHARE = 0.3;
/** Of the late hand-overs, those that arrive ahead of a commit of several shards. */
const AHEAD_SHARE = 0.5;

/** Injects the planned faults, in sequence and some concurrently; `heal` repairs all of them. */
export class Nemesis {
  readonly #plan: Plan;
  readonly #fleet: Fleet;
  readonly #network: SimulatedNetwork;
  readonly #database: Database;
  readonly #scheduler: Scheduler;
  readonly #dice: Dice;
  readonly #history: History;
  readonly #bytes: ByteWorld;
  /** Incarnations that crashed and whose crash a launcher reported. */
  readonly crashed = new Set<string>();
  #over = false;

  constructor(options: {
    readonly plan: Plan;
    readonly fleet: Fleet;
    readonly network: SimulatedNetwork;
    readonly database: Database;
    readonly scheduler: Scheduler;
    readonly dice: Dice;
    readonly history: History;
    readonly bytes: ByteWorld;
  }) {
    this.#plan = options.plan;
    this.#fleet = options.fleet;
    this.#network = options.network;
    this.#database = options.database;
    this.#scheduler = options.scheduler;
    this.#dice = options.dice;
    this.#history = options.history;
    this.#bytes = options.bytes;
  }

  start(): void {
    this.#fleet.storeTraits = this.#plan.storeTraits;
    for (const process of this.#fleet.running) process.misbehave(this.#plan.storeTraits);
    this.#next();
  }

  /** Stops injecting faults and repairs the existing ones. */
  heal(): void {
    this.#over = true;
    this.#history.note('heal');
    this.#network.heal();
    this.#fleet.storeTraits = SOUND;
    this.#bytes.cutKeys(false);
    for (const process of this.#fleet.running) {
      process.misbehave(SOUND);
      process.store.cut = false;
      if (process.bytes) process.bytes.keys.cut = process.bytes.blobs.cut = false;
      this.#scheduler.resume(process.place);
    }
  }

  #next(): void {
    this.#scheduler.after(this.#dice.between(0.2, 1.8) * this.#plan.faultEveryMs, () => {
      if (this.#over) return;
      this.#strike(this.#dice.pick(this.#plan.faults));
      this.#next();
    });
  }

  #strike(fault: Fault): void {
    const slot = this.#dice.pick(this.#fleet.slots);
    const other = this.#dice.pick(this.#fleet.slots.filter((each) => each !== slot));
    this.#strikes[fault](slot, other);
  }

  /** The action of each fault on a node, or between it and another. */
  readonly #strikes: Readonly<Record<Fault, (slot: NodeSlot, other: NodeSlot) => void>> = {
    kill: (slot) => this.#kill(slot, false),
    'power loss': (slot) => this.#kill(slot, true),
    'process crash': (slot) => this.#crash(slot),
    pause: (slot) => this.#pause(slot, this.#dice.between(20, 2_000)),
    'long pause': (slot) => this.#pause(slot, this.#dice.between(STALE_MS, 15_000)),
    partition: () => this.#partition(),
    'one-way cut': (slot, other) =>
      this.#shut([[slot.name, other.name]], this.#dice.between(500, 8_000), 'one-way cut'),
    clog: (slot, other) => this.#shut(bothWays(slot.name, other.name), this.#dice.between(50, 3_000), 'clog'),
    'broken link': (slot, other) => this.#breakLinks(slot, other),
    'slow network': () => this.#slowNetwork(),
    'store unreachable': ({ process }) =>
      this.#cutStore(process?.running ? [process] : [], this.#dice.between(200, 6_000)),
    'store unreachable for all': () => this.#cutStore(this.#fleet.running, this.#dice.between(200, 5_000)),
    'bad store': (slot) => this.#badStore(slot),
    'keys unreachable': ({ process }) => this.#cutBytes(process, 'keys'),
    'keys unreachable for all': () => this.#cutAllKeys(this.#dice.between(200, 5_000)),
    'blobs unreachable': ({ process }) => this.#cutBytes(process, 'blobs'),
    'clock step': (slot) => this.#stepClock(slot),
    'late hand-over': (slot, other) => this.#giveLate(slot, other),
    drain: (slot) => this.#drain(slot),
  };

  #kill(slot: NodeSlot, silent: boolean): void {
    if (!slot.process?.running) return;
    this.#note(silent ? 'power loss' : 'kill', { node: slot.name });
    this.#fleet.kill(slot, silent);
  }

  /** The process crashes, and a launcher that observed it reports the crash through another node. */
  #crash(slot: NodeSlot): void {
    const incarnation = slot.process?.node?.self.incarnation;
    const others = this.#fleet.running.filter((process) => process !== slot.process && process.node !== null);
    if (incarnation === undefined || others.length === 0 || !slot.process?.running) return;
    const teller = this.#dice.pick(others);
    this.crashed.add(incarnation);
    this.#note('process crash', { node: slot.name, incarnation, teller: teller.name });
    this.#fleet.kill(slot, false);
    const tell = (): void => {
      teller.node?.operator.recordDeath(incarnation, 'crashed').catch(() => {});
    };
    this.#scheduler.after(this.#dice.between(5, TELL_MS_MAX), tell, teller.place);
  }

  #breakLinks(a: NodeSlot, b: NodeSlot): void {
    if (this.#network.breakLinks(a.name, b.name)) this.#note('broken link', { a: a.name, b: b.name });
  }

  #stepClock({ name, process }: NodeSlot): void {
    if (process === null) return;
    process.clock.skewMs = this.#dice.between(-SKEW_MS_MAX, SKEW_MS_MAX);
    this.#note('clock step', { node: name, skewMs: process.clock.skewMs });
  }

  #pause(slot: NodeSlot, ms: number): void {
    const { process } = slot;
    if (!process?.running || process.place.state === 'paused') return;
    this.#note('pause', { node: slot.name, ms });
    if (ms > STALE_MS) this.#history.saw('pause longer than the stale bound');
    this.#scheduler.pause(process.place);
    this.#scheduler.after(ms, () => this.#scheduler.resume(process.place));
  }

  /** Partitions the nodes into two groups. */
  #partition(): void {
    const names = this.#fleet.slots.map((slot) => slot.name);
    const minority = names.filter(() => this.#dice.happens(0.4));
    const rest = names.filter((name) => !minority.includes(name));
    const pairs = minority.flatMap((a) => rest.flatMap((b) => bothWays(a, b)));
    this.#shut(pairs, this.#dice.between(1_000, 9_000), 'partition');
  }

  #shut(pairs: readonly (readonly [string, string])[], ms: number, what: string): void {
    this.#note(what, { pairs, ms });
    for (const [from, to] of pairs) this.#network.shut(from, to);
    this.#scheduler.after(ms, () => {
      for (const [from, to] of pairs) this.#network.open(from, to);
    });
  }

  #slowNetwork(): void {
    this.#note('slow network');
    this.#network.slow({ minMs: 1, maxMs: this.#dice.between(50, SLOW_MS_MAX), spikes: 0.1 });
    this.#scheduler.after(this.#dice.between(500, 4_000), () => this.#network.slow(this.#network.traits));
  }

  #cutStore(processes: readonly SimulatedProcess[], ms: number): void {
    this.#note('store unreachable', { nodes: processes.map((process) => process.name), ms });
    for (const process of processes) process.store.cut = true;
    this.#scheduler.after(ms, () => {
      for (const process of processes) process.store.cut = false;
    });
  }

  #cutBytes(process: SimulatedProcess | null, which: 'keys' | 'blobs'): void {
    const bytes = process?.bytes;
    if (!process?.running || !bytes) return;
    this.#note(`${which} unreachable`, { node: process.name });
    bytes[which].cut = true;
    this.#scheduler.after(this.#dice.between(200, 6_000), () => {
      bytes[which].cut = false;
    });
  }

  #cutAllKeys(ms: number): void {
    this.#note('keys unreachable for all', { ms });
    this.#bytes.cutKeys(true);
    this.#scheduler.after(ms, () => this.#bytes.cutKeys(false));
  }

  /** For a while most store calls of one node fail, each in a random way. */
  #badStore(slot: NodeSlot): void {
    const { process } = slot;
    if (!process?.running) return;
    const dice = this.#dice;
    const traits = {
      ...{ minMs: 0.1, maxMs: 30, slow: dice.between(0, 0.3), refuses: dice.between(0, 0.3) },
      ...{ silent: dice.between(0, 0.3), echoes: dice.between(0, 0.5) },
    };
    this.#note('bad store', { node: slot.name, traits });
    process.misbehave(traits);
    this.#scheduler.after(dice.between(300, 4_000), () => process.misbehave(this.#fleet.storeTraits));
  }

  /**
   * Hand-overs that their owner abandoned long ago arrive late, while the shards are served: some at any time, others
   * between the request of a commit of several shards and its execution, so that it is refused in part.
   */
  #giveLate(slot: NodeSlot, other: NodeSlot): void {
    const [from, to] = [slot.process?.node?.self.incarnation, other.process?.node?.self.incarnation];
    const owned = this.#database.shards().filter((row) => row.owner !== null && row.owner === from);
    if (owned.length === 0 || to === undefined) return;
    if (this.#dice.happens(AHEAD_SHARE)) {
      this.#database.interpose(slot.name, (writes) => {
        const { shard } = this.#dice.pick(writes);
        const row = this.#database.shards()[shard];
        if (row !== undefined && row.owner === from && !this.#over) this.#give(row, to);
      });
      return;
    }
    const late = owned.filter(() => this.#dice.happens(LATE_SHARE));
    for (const row of late.length > 0 ? late : [this.#dice.pick(owned)]) this.#give(row, to);
  }

  #give(row: ShardRow, to: string): void {
    if (this.#database.give(row, to) === null) return;
    this.#note('late hand-over', { shard: row.shard, from: row.owner, to });
  }

  #drain(slot: NodeSlot): void {
    if (slot.process?.node?.ready) this.#history.saw('drain under load');
    this.#fleet.drain(slot);
  }

  #note(what: string, more: Readonly<Record<string, unknown>> = {}): void {
    this.#history.saw(what);
    this.#history.note(`FAULT ${what}`, more);
  }
}

function bothWays(a: string, b: string): readonly (readonly [string, string])[] {
  return [
    [a, b],
    [b, a],
  ];
}
