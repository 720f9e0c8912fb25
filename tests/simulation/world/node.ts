import type { Kind } from '../../../actors/runtime/index.ts';
import { type ClusterNode, type NodeLimits, startNode } from '../../../actors/runtime/node.ts';
import type { ActivityHandler } from '../../../actors/runtime/ports/activity.ts';
import type { Database } from './database.ts';
import type { Dice } from './dice.ts';
import type { SimulatedNetwork } from './network.ts';
import { NodeClock } from './node-clock.ts';
import { Place } from './scheduler.ts';
import { SimulatedStore, type StoreTraits } from './store.ts';
import { SimulatedTransport } from './transport.ts';

/** What every process of a world is started with. */
export interface World {
  readonly database: Database;
  readonly network: SimulatedNetwork;
  readonly kinds: readonly Kind[];
  /** Who does work in the world inside a process. */
  readonly activities: (process: SimulatedProcess) => Readonly<Record<string, ActivityHandler>>;
  readonly limits: NodeLimits;
  readonly startsAt: number;
  /** Over how many lines a node's commits travel. */
  readonly storeParts: number;
  /** All nodes on one host may judge each other by their ports. */
  readonly oneHost: boolean;
  readonly log: (node: string, record: Readonly<Record<string, unknown>>) => void;
}

/** Longer than the simulated work takes. */
const ACTIVITY_GRACE_MS = 15_000;
const OFFSET_MS_MAX = 1_000_000;
const DRIFT_MAX = 0.0002;

/** One start of one process: a node of the cluster, its clock, its connection to the store. Ends once. */
export class SimulatedProcess {
  readonly place: Place;
  readonly clock: NodeClock;
  readonly store: SimulatedStore;
  readonly random: Dice;
  /** Null until it has joined. */
  node: ClusterNode | null = null;
  /** It declared itself dead: its process is about to end. */
  dead: string | null = null;
  readonly #world: World;
  readonly #onEnd: (why: string) => void;

  constructor(name: string, world: World, dice: Dice, onEnd: (why: string) => void) {
    this.place = new Place(name);
    this.#world = world;
    this.random = dice.fork();
    const traits = {
      startsAt: world.startsAt,
      monotonicOffsetMs: dice.between(0, OFFSET_MS_MAX),
      rate: dice.between(1 - DRIFT_MAX, 1 + DRIFT_MAX),
    };
    this.clock = new NodeClock(world.database.scheduler, this.place, dice.fork(), traits);
    this.store = new SimulatedStore(world.database, this.place, dice.fork(), world.storeParts);
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

  /** Begins inside the process; ends it when the node does not come up. `joined` is called inside it, too. */
  start(address: string, joined: () => void): void {
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
          clock: this.clock,
          random: this.random,
          limits,
          secret: 'cluster secret',
          operatorToken: 'token',
          configDigest: 'digest',
          transport: ({ clock, limits: bounds }) =>
            new SimulatedTransport(network, { place: this.place, clock, limits: bounds }),
          log: (record) => log(this.name, record),
          onDead: (why) => this.#died(why),
          onDrain: () => {},
        }).then(
          (node) => {
            this.node = node;
            node.serve();
            joined();
          },
          (error: unknown) => this.#onEnd(`did not start: ${error instanceof Error ? error.message : String(error)}`),
        );
      },
      this.place,
    );
  }

  /** Everything of it stops at once; with `silent` nobody is told by its host. */
  kill(silent: boolean): void {
    this.#world.network.vanish(this.place, silent);
    this.#world.database.scheduler.end(this.place);
  }

  #died(why: string): void {
    this.dead = why;
    this.#onEnd(`declared dead: ${why}`);
  }
}
