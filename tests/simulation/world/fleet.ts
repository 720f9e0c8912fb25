import type { Dice } from './dice.ts';
import { SimulatedProcess, type World } from './node.ts';
import { SOUND, type StoreTraits } from './store.ts';

const RESTART_MS_MIN = 50;
const RESTART_MS_MAX = 3_000;

/** One node name of the cluster: its current process and how to restart it. */
export interface NodeSlot {
  readonly name: string;
  readonly address: string;
  process: SimulatedProcess | null;
  /** Draining: excluded from further faults. */
  draining: boolean;
  starts: number;
}

/** The processes of a world: starts, ends and restarts them, as the launcher of each host. */
export class Fleet {
  readonly slots: readonly NodeSlot[];
  /** Processes that have ended so far. */
  ends = 0;
  /** The store faults of a new process. */
  storeTraits: StoreTraits = SOUND;
  readonly #world: World;
  readonly #dice: Dice;
  readonly #tell: (what: string, more: Readonly<Record<string, unknown>>) => void;
  readonly #joined: (process: SimulatedProcess) => void;

  constructor(options: {
    readonly nodes: number;
    readonly world: World;
    readonly dice: Dice;
    readonly tell: (what: string, more: Readonly<Record<string, unknown>>) => void;
    /** Called once per process, inside it, once it has joined. */
    readonly joined: (process: SimulatedProcess) => void;
  }) {
    this.#world = options.world;
    this.#dice = options.dice;
    this.#tell = options.tell;
    this.#joined = options.joined;
    // Some hosts give a restarted process its old port, others a new one.
    const fixed = this.#dice.happens(0.5);
    this.slots = Array.from({ length: options.nodes }, (_, i) => ({
      name: `n${i + 1}`,
      address: fixed ? `h${i + 1}:${7_001 + i}` : `h${i + 1}:0`,
      process: null,
      draining: false,
      starts: 0,
    }));
  }

  get running(): readonly SimulatedProcess[] {
    return this.slots.flatMap(({ process }) => (process?.running ? [process] : []));
  }

  /** True when every node runs, has joined and is ready. */
  get ready(): boolean {
    return this.slots.every(
      ({ process, draining }) => process?.running && process.node?.ready && process.dead === null && !draining,
    );
  }

  start(slot: NodeSlot): void {
    if (slot.process?.running) return;
    slot.starts += 1;
    slot.draining = false;
    const process = new SimulatedProcess(slot.name, this.#world, this.#dice, (why) => this.#ended(slot, process, why));
    slot.process = process;
    process.misbehave(this.storeTraits);
    this.#tell('start', { node: slot.name, start: slot.starts });
    process.start(slot.address, () => this.#joined(process));
  }

  /** The process has ended; it is restarted after a delay. */
  kill(slot: NodeSlot, silent: boolean, restartMs = this.#dice.between(RESTART_MS_MIN, RESTART_MS_MAX)): void {
    if (!slot.process?.running) return;
    this.ends += 1;
    this.#tell('kill', { node: slot.name, silent });
    slot.process.kill(silent);
    this.#world.database.scheduler.after(restartMs, () => this.start(slot));
  }

  /** Drains, then restarts. */
  drain(slot: NodeSlot): void {
    const { process } = slot;
    const node = process?.node ?? null;
    if (process === null || node === null || slot.draining) return;
    slot.draining = true;
    this.#tell('drain', { node: slot.name });
    const { scheduler } = this.#world.database;
    scheduler.after(
      0,
      () => {
        node
          .leave()
          .catch(() => {})
          .then(() => this.#ended(slot, process, 'left'));
      },
      process.place,
    );
  }

  #ended(slot: NodeSlot, process: SimulatedProcess, why: string): void {
    const { scheduler } = this.#world.database;
    scheduler.after(this.#dice.between(0, 20), () => {
      if (slot.process !== process || !process.running) return;
      this.#tell('ended', { node: slot.name, why });
      this.kill(slot, false);
    });
  }
}
