/**
 * Nodes in a simulated world without faults of its own: virtual time, which advances by itself while the test awaits, and
 * a network, a store, clocks and event loops that the test disturbs.
 */
import type { Clock } from '../../actors/runtime/ports/clock.ts';
import type { Transport } from '../../actors/runtime/ports/transport.ts';
import config from '../../cluster.config.ts';
import { tally } from '../actors/example-kinds/tally.ts';
import { Database, UNSEEN } from '../simulation/world/database.ts';
import { SimulatedNetwork } from '../simulation/world/network.ts';
import { SimulatedProcess } from '../simulation/world/node.ts';
import { Pump } from '../simulation/world/pump.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { type Change, type Started, TestNodes } from './test-nodes.ts';

const STARTS_AT = 1_763_690_000_000;
const LOOK_MS = 10;
const WATCH_MS = 50;

export interface VirtualNode extends Started {
  readonly process: SimulatedProcess;
}

interface VirtualNodesOptions {
  readonly shards?: number;
  /** False: each node has a host of its own, so that no node may conclude from a refusing port. */
  readonly oneHost?: boolean;
}

export class VirtualNodes extends TestNodes<VirtualNode> {
  readonly clock: Clock;
  readonly store: MemoryStore;
  readonly #pump = new Pump();
  readonly #network: SimulatedNetwork;
  readonly #database: Database;
  readonly #limits: typeof config.runtime;
  readonly #oneHost: boolean;

  constructor({ shards = config.runtime.shards, oneHost = true }: VirtualNodesOptions = {}) {
    super();
    const { scheduler, dice } = this.#pump;
    this.#limits = { ...config.runtime, shards };
    this.#oneHost = oneHost;
    this.#database = new Database({ scheduler, shards, startsAt: STARTS_AT, witness: UNSEEN });
    this.#network = new SimulatedNetwork(scheduler, dice.fork());
    this.clock = {
      now: () => this.#database.now(),
      monotonic: () => scheduler.now,
      after: (delayMs, run) => scheduler.after(delayMs, run),
    };
    this.store = new MemoryStore({ clock: this.clock, shards }, this.#database.tables);
  }

  /** Starts nodes n1, n2, ... each the given number of ms after the previous one, on hosts of their own, until all are ready. */
  static async apart(gapsMs: readonly number[], shards: number): Promise<VirtualNodes> {
    const nodes = new VirtualNodes({ shards, oneHost: false });
    for (const [at, gapMs] of gapsMs.entries()) {
      await nodes.pause(gapMs);
      await nodes.start(`n${at + 1}`);
    }
    await nodes.until(() => nodes.started.every(({ node }) => node.ready), 'all are ready');
    // New nodes send heartbeats faster; the tests measure the normal interval.
    await nodes.pause(5_000);
    return nodes;
  }

  /** `inTransport` puts something between a node and its links. */
  start(name: string, change: Change = {}, inTransport = (own: Transport) => own): Promise<VirtualNode> {
    const [died, drains]: [string[], number[]] = [[], []];
    const { grpcAddress = `${name}:0`, kinds = [tally], activities = {}, ...more } = change;
    return new Promise((resolve, reject) => {
      const world = {
        ...{ database: this.#database, network: this.#network, limits: this.#limits, kinds },
        ...{ storeParts: 1, oneHost: this.#oneHost, activities: () => activities },
        log: (node: string, record: object) =>
          this.logs.push({ at: Math.round(this.clock.monotonic()), node, ...record }),
      };
      const process = new SimulatedProcess(name, world, this.#pump.dice, (why) => {
        if (process.node === null) reject(new Error(why));
        else died.push(why);
      });
      const joined = (): void => {
        if (process.node === null) return;
        const kill = async (): Promise<void> => {
          process.store.cut = true;
          process.kill(false);
        };
        const started = { node: process.node, process, store: process.store, died, drains, kill };
        this.started.push(started);
        resolve(started);
      };
      process.start(grpcAddress, joined, { onDrain: () => drains.push(1), ...more }, inTransport);
    });
  }

  /** Drops everything that `from` sends to `to` (node names). */
  cut(from: string, to: string): void {
    this.#network.shut(from, to);
  }

  heal(): void {
    this.#network.heal();
  }

  /** Waits until the condition holds; returns the elapsed time, or null if it does not in time. */
  async within(withinMs: number, holds: () => boolean): Promise<number | null> {
    const from = this.clock.monotonic();
    while (this.clock.monotonic() - from < withinMs) {
      if (holds()) return this.clock.monotonic() - from;
      await this.pause(LOOK_MS);
    }
    return holds() ? withinMs : null;
  }

  /** Stops the event loop of a node until `resume`. */
  stall({ process }: VirtualNode): void {
    this.#pump.scheduler.pause(process.place);
  }

  resume({ process }: VirtualNode): void {
    this.#pump.scheduler.resume(process.place);
  }

  /** Stalls one event loop for the given time; `meanwhile` is called often. */
  async stallFor(node: VirtualNode, ms: number, meanwhile: () => void = () => {}): Promise<void> {
    this.stall(node);
    for (let past = 0; past < ms; past += WATCH_MS) {
      await this.pause(Math.min(WATCH_MS, ms - past));
      meanwhile();
    }
    this.resume(node);
  }

  isAlive({ node }: VirtualNode): boolean {
    const row = this.store.allNodes().find((each) => each.incarnation === node.self.incarnation);
    return row?.state === 'up';
  }

  /** Ends the world. */
  async close(): Promise<void> {
    this.#pump.stop();
  }
}
