import { kinds } from '../../actors/kinds.ts';
import type { Kind } from '../../actors/runtime/index.ts';
import { clerkKind } from '../actors/example-kinds/clerk.ts';
import { counterKind } from '../actors/example-kinds/counter.ts';
import { jobKind } from '../actors/example-kinds/job.ts';
import { purseKind } from '../actors/example-kinds/purse.ts';
import { audit, type Verdict } from '../support/auditor/audit.ts';
import type { KeyUsage } from '../support/auditor/evidence.ts';
import { gather } from './gather.ts';
import { History } from './history.ts';
import type { Mutation } from './mutation.ts';
import { Nemesis } from './nemesis.ts';
import { draw, type Plan } from './plan.ts';
import { CommitWitness } from './witness.ts';
import { Workload } from './workload/workload.ts';
import { ByteWorld } from './world/byte-world.ts';
import { Database } from './world/database.ts';
import { Dice } from './world/dice.ts';
import { Fleet } from './world/fleet.ts';
import { SimulatedNetwork } from './world/network.ts';
import { Scheduler } from './world/scheduler.ts';

/** Virtual ms. */
const SETUP_MS_MAX = 30_000;
const HEALING_MS_MAX = 60_000;
const PROBE_MS_MAX = 30_000;
const ENDED_UNDER_PROBES_MAX = 2;
const LOOK_EVERY_MS = 100;
const HOUR_MS = 3_600_000;
/** To just before the end of a file that is read for 48 h, then past the end of the youngest key. */
const DOWN_HOURS = [47.5, 3];

/** The outcome of one seed. `stuck` names what did not recover in time. */
export interface Outcome {
  readonly seed: number;
  readonly plan: Plan;
  readonly verdict: Verdict;
  readonly stuck: string | null;
  readonly history: History;
  readonly answered: { readonly ok: number; readonly all: number };
  readonly virtualMs: number;
  readonly events: number;
}

export function isGreen({ verdict, stuck }: Outcome): boolean {
  return verdict.clean && stuck === null;
}

/** Runs one seed, from an empty world to a verdict. The same seed gives the same history line by line. */
export async function run(seed: number, mutation: Mutation | null = null): Promise<Outcome> {
  const simulation = new Simulation(seed, mutation);
  const undo = mutation?.begin?.();
  try {
    return await simulation.run();
  } finally {
    undo?.();
  }
}

class Simulation {
  readonly #seed: number;
  readonly #plan: Plan;
  readonly #scheduler: Scheduler;
  readonly #history: History;
  readonly #witness: CommitWitness;
  readonly #database: Database;
  readonly #fleet: Fleet;
  readonly #nemesis: Nemesis;
  readonly #workload: Workload;
  #stuck: string | null = null;

  constructor(seed: number, mutation: Mutation | null) {
    const dice = new Dice(seed);
    const plan = draw(dice.fork());
    const scheduler = new Scheduler(dice.fork());
    const history = new History(() => scheduler.now);
    const witness = new CommitWitness(history);
    const { startsAt, limits } = plan;
    const database = (mutation?.database ?? ((options) => new Database(options)))({
      ...{ scheduler, shards: limits.shards, startsAt, witness },
    });
    witness.attend(database);
    const network = new SimulatedNetwork(scheduler, dice.fork());
    network.traits = plan.network;
    network.keepAliveMs = plan.keepAliveMs;
    const bytes = new ByteWorld(database, dice.fork());
    const workload = new Workload({ history, database, dice: dice.fork(), thinkMs: plan.thinkMs, bytes });
    const performing = dice.fork();
    witness.onPurse = (address) => workload.purses.committed(address);
    const own: readonly Kind[] = [...kinds, counterKind, purseKind, jobKind, clerkKind];
    const log = (node: string, record: Readonly<Record<string, unknown>>): void =>
      history.note('log', { node, ...record });
    const fleet = new Fleet({
      nodes: plan.nodes,
      world: {
        ...{ database, network, kinds: mutation?.kinds?.(own) ?? own, limits, oneHost: plan.oneHost, log },
        ...{ storeParts: plan.storeParts, connect: (clock, random) => bytes.connect(clock, random) },
        activities: (process) => {
          const jobs = workload.jobs.handler(process, performing.fork());
          return {
            work: workload.bills.handler(process, performing.fork()),
            ...workload.batches.handlers(process, performing.fork()),
            ...workload.videos.handlers(process, performing.fork()),
            task: jobs,
          };
        },
      },
      dice: dice.fork(),
      tell: (what, more) => history.note(what, more),
      joined: (process) => workload.join(process, plan.clientsPerNode),
    });
    this.#nemesis = new Nemesis({ plan, fleet, network, database, scheduler, dice: dice.fork(), history, bytes });
    [this.#seed, this.#plan, this.#scheduler, this.#history] = [seed, plan, scheduler, history];
    [this.#witness, this.#database, this.#fleet, this.#workload] = [witness, database, fleet, workload];
    history.note('plan', { ...plan, limits: undefined });
  }

  async run(): Promise<Outcome> {
    for (const slot of this.#fleet.slots) this.#fleet.start(slot);
    await this.#until(SETUP_MS_MAX, () => (this.#fleet.ready ? null : 'the first start'));
    await this.#within(SETUP_MS_MAX, 'the accounts', () => this.#setUp());
    let usages: readonly KeyUsage[] | null = null;
    if (this.#stuck === null) {
      this.#workload.begin();
      this.#nemesis.start();
      await this.#until(this.#plan.unrestMs, () => 'unrest');
      this.#stuck = null;
      this.#workload.end();
      this.#nemesis.heal();
      await this.#until(HEALING_MS_MAX, () => this.#unhealed());
      usages = await this.#probeAll();
    }
    this.#workload.alarms.conclude();
    this.#workload.bills.conclude();
    const evidence = gather({
      workload: this.#workload,
      database: this.#database,
      witness: this.#witness,
      usages,
      crashed: this.#nemesis.crashed,
    });
    await this.#outlive();
    const verdict = audit({ ...evidence, files: this.#workload.files.evidence });
    this.#history.note('verdict', { clean: verdict.clean, stuck: this.#stuck });
    return {
      ...{ seed: this.#seed, plan: this.#plan, verdict, stuck: this.#stuck, history: this.#history },
      answered: this.#workload.answered,
      ...{ virtualMs: this.#scheduler.now, events: this.#scheduler.ran },
    };
  }

  /**
   * The whole cluster is down until shortly before the files and their keys are over, starts again, and is down until
   * they are over: what must be readable is, and what must be gone is gone.
   */
  async #outlive(): Promise<void> {
    const { files } = this.#workload;
    await files.attempt();
    if (!this.#plan.outlives) return;
    for (const hours of DOWN_HOURS) {
      if (this.#stuck !== null) return;
      this.#history.note('down', { hours });
      for (const slot of this.#fleet.slots) this.#fleet.kill(slot, true);
      this.#database.jump(hours * HOUR_MS);
      await this.#until(HEALING_MS_MAX, () => (this.#fleet.ready ? (files.remains[0] ?? null) : 'nodes not ready'));
      await files.attempt();
      await this.#within(PROBE_MS_MAX, 'the files', () => this.#readFiles());
    }
    this.#history.saw('cluster down until every key was over');
  }

  async #readFiles(): Promise<true> {
    const [first] = this.#fleet.running;
    if (first === undefined) throw new Error('no node runs');
    await this.#workload.files.conclude(this.#workload.client(first, 'reader'));
    return true;
  }

  async #setUp(): Promise<true> {
    const [first] = this.#fleet.running;
    if (first === undefined) throw new Error('no node runs');
    const client = this.#workload.client(first, 'setup');
    await this.#workload.bank.open(client);
    await this.#workload.batches.open(client);
    await this.#workload.files.open(client);
    await this.#workload.videos.open(client);
    await this.#workload.purses.fill(client);
    await this.#workload.wallets.fill(client);
    await this.#workload.bills.fill(client);
    return true;
  }

  /**
   * Asks every node; starts over if a node ends meanwhile. A store call of a process that died during the fault phase may
   * arrive later, and a late registration marks the process's successor dead.
   */
  async #probeAll(): Promise<readonly KeyUsage[] | null> {
    for (let ended = 0; ; ended++) {
      const { ends } = this.#fleet;
      const usages = await this.#within(PROBE_MS_MAX, 'the probes', () => this.#probe());
      if (usages !== null || this.#fleet.ends === ends || ended >= ENDED_UNDER_PROBES_MAX) return usages;
      this.#stuck = null;
      await this.#until(HEALING_MS_MAX, () => this.#unhealed());
    }
  }

  async #probe(): Promise<readonly KeyUsage[] | null> {
    let usages: readonly KeyUsage[] | null = null;
    for (const process of this.#fleet.running) {
      usages = await this.#workload.probe(process);
      if (usages === null) return null;
    }
    return usages;
  }

  /** What has not recovered yet; null once everything has. */
  #unhealed(): string | null {
    if (!this.#fleet.ready) return 'nodes not ready';
    const alive = new Set(this.#fleet.running.map((process) => process.node?.self.incarnation));
    if (this.#database.shards().some(({ owner }) => owner === null || !alive.has(owner))) return 'shards without owner';
    if (!this.#workload.quiet) return 'operations pending';
    const holds = this.#database.tables.query({ collection: 'generation', openOnly: true, limit: 1 });
    if (holds.length > 0) return 'holds open';
    if (!this.#workload.alarms.silent) return 'alarms not fired';
    if (!this.#workload.jobs.idle) return 'activities running';
    if (!this.#workload.batches.ended) return 'batches running';
    if (this.#workload.videos.running !== null) return this.#workload.videos.running;
    if (!this.#workload.bills.settled) return 'bills neither ended nor dead-lettered';
    return this.#workload.wallets.settled ? null : 'messages undelivered';
  }

  /** Runs until `lacking` returns null or the time is over; the last value is what the run is stuck at. */
  async #until(withinMs: number, lacks: () => string | null): Promise<void> {
    if (this.#stuck !== null) return;
    const end = this.#scheduler.now + withinMs;
    let lookAt = 0;
    let lack: string | null = 'anything';
    await this.#scheduler.run(() => {
      if (this.#scheduler.now < lookAt) return false;
      lookAt = this.#scheduler.now + LOOK_EVERY_MS;
      lack = lacks();
      return lack === null || this.#scheduler.now >= end;
    });
    this.#stuck = lack;
  }

  /** Runs the world while an ask is pending; null, and stuck, if it times out or gets no reply. */
  async #within<T>(withinMs: number, what: string, work: () => Promise<T | null>): Promise<T | null> {
    if (this.#stuck !== null) return null;
    const end = this.#scheduler.now + withinMs;
    const asked: { answer: T | null; over: boolean } = { answer: null, over: false };
    work().then(
      (answer) => Object.assign(asked, { answer, over: true }),
      (error: unknown) => {
        this.#history.note('failed', { what, error: String(error) });
        asked.over = true;
      },
    );
    await this.#scheduler.run(() => asked.over || this.#scheduler.now >= end);
    if (asked.answer === null) this.#stuck = what;
    return asked.answer;
  }
}
