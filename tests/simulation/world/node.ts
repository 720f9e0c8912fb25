import type { Kind } from '../../../actors/runtime/index.ts';
import { type ClusterNode, type NodeLimits, type NodeParts, startNode } from '../../../actors/runtime/node.ts';
import type { ActivityHandler } from '../../../actors/runtime/ports/activity.ts';
import type { Clock, Random } from '../../../actors/runtime/ports/clock.ts';
import type { Transport } from '../../../actors/runtime/ports/transport.ts';
import type { MemoryBlobs } from '../../support/memory-blobs.ts';
import type { MemoryKeyStore } from '../../support/memory-key-store.ts';
import type { Database } from './database.ts';
import type { Dice } from './dice.ts';
import type { SimulatedNetwork } from './network.ts';
import { NodeClock } from './node-clock.ts';
import { Place } from './scheduler.ts';
import { SimulatedStore, type StoreTraits } from './store.ts';
import { SimulatedTransport } from './transport.ts';

/** Options common to all processes of a world. */
export interface World {
  readonly database: Database;
  readonly network: SimulatedNetwork;
  readonly kinds: readonly Kind[];
  /** The activity handlers of a process. */
  readonly activities: (process: SimulatedProcess) => Readonly<Record<string, ActivityHandler>>;
  readonly limits: NodeLimits;
  /** Number of store parts, each with its own order of commits. */
  readonly storeParts: number;
  /** On a single host, nodes may probe each other's ports. */
  readonly oneHost: boolean;
  readonly log: (node: string, record: Readonly<Record<string, unknown>>) => void;
  /** Connects a process to the blobs and sealing keys of the world. Absent: it has none. */
  readonly connect?: (clock: Clock, random: Random) => ProcessBytes;
}

/** The connections of one process; each can be cut. */
export interface ProcessBytes {
  readonly blobs: MemoryBlobs;
  readonly keys: MemoryKeyStore;
}

/** Longer than any simulated activity. */
const ACTIVITY_GRACE_MS = 15_000;
const OFFSET_MS_MAX = 1_000_000;
const DRIFT_MAX = 0.0002;

/** One process: a node of the cluster, its clock and its connection to the store. Ends once. */
export class SimulatedProcess {
  readonly place: Place;
  readonly clock: NodeClock;
  readonly store: SimulatedStore;
  readonly random: Dice;
  readonly bytes: ProcessBytes | null;
  /** Null until it has joined. */
  node: ClusterNode | null = null;
  /** The node declared itself dead; its process is about to end. */
  dead: string | null = null;
  readonly #world: World;
  readonly #onEnd: (why: string) => void;

  constructor(name: string, world: World, dice: Dice, onEnd: (why: string) => void) {
    this.place = new Place(name);
    this.#world = world;
    this.random = dice.fork();
    const traits = {
      startsAt: world.database.startsAt,
      monotonicOffsetMs: dice.between(0, OFFSET_MS_MAX),
      rate: dice.between(1 - DRIFT_MAX, 1 + DRIFT_MAX),
    };
    this.clock = new NodeClock(world.database.scheduler, this.place, dice.fork(), traits);
    this.store = new SimulatedStore(world.database, this.place, dice.fork(), world.storeParts);
    this.bytes = world.connect?.(this.clock, dice.fork()) ?? null;
    this.#onEnd = onEnd;
  }

  get name(): string {
    return this.place.name;
  }

  get running(): boolean {
    return this.place.state !== 'gone';
  }

  misbehave(traits: StoreTraits): void {
    this.store.traits = traits;
  }

  /**
   * Runs inside the process and ends it if the node fails to start. `joined` is called inside the process too. Tests
   * `change` a node and put something into its transport.
   */
  start(
    address: string,
    joined: () => void,
    { serves = true, ...change }: Partial<NodeParts> & { readonly serves?: boolean } = {},
    inTransport = (own: Transport) => own,
  ): void {
    const { database, network, kinds, activities, limits, oneHost, log } = this.#world;
    database.scheduler.after(
      0,
      () => {
        startNode({
          name: this.name,
          grpcAddress: address,
          operatorUrl: () => `http://${this.name}`,
          host: oneHost ? 'host' : this.name,
          pid: 1,
          kinds,
          activities: activities(this),
          activityGraceMs: ACTIVITY_GRACE_MS,
          store: this.store,
          ...this.bytes,
          clock: this.clock,
          random: this.random,
          limits,
          secret: 'cluster secret',
          configDigest: 'digest',
          transport: ({ clock, limits: bounds }) =>
            inTransport(new SimulatedTransport(network, { place: this.place, clock, limits: bounds })),
          log: (record) => log(this.name, record),
          onDead: (why) => this.#died(why),
          onDrain: () => {},
          ...change,
        }).then(
          (node) => {
            this.node = node;
            if (serves) node.serve();
            joined();
          },
          (error: unknown) => this.#onEnd(`did not start: ${error instanceof Error ? error.message : String(error)}`),
        );
      },
      this.place,
    );
  }

  /** Stops the process at once; with `silent` its host sends no reset to peers. */
  kill(silent: boolean): void {
    this.#world.network.vanish(this.place, silent);
    this.#world.database.scheduler.end(this.place);
  }

  #died(why: string): void {
    this.dead = why;
    this.#onEnd(`declared dead: ${why}`);
  }
}
