import { join } from 'node:path';
import config from '../../cluster.config.ts';
import type { ConnectionNode } from '../../gateway/operator/launcher/connection.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import type { ChaosOptions } from './chaos-options.ts';
import { BATCH_POINTS, CRASH_POINTS, isOfBatch, isOfPayment, PAYMENT_POINTS } from './crash-points.ts';
import { type FullDisk, fillDisk } from './full-disk.ts';
import { CUTS, type Cut } from './links.ts';
import { type Frozen, Nemesis, type Strike } from './nemesis.ts';
import { type KeyOutage, loseKeyFolder, loseStore, type Outage, type OutageParts, stepClocks } from './outages.ts';
import { long } from './scenario.ts';
import type { Stage } from './stage.ts';
import type { Payer, Workload } from './workload.ts';

interface StrikesParts {
  readonly options: ChaosOptions;
  readonly stage: Stage;
  readonly view: StoreView;
  readonly workload: Workload;
  readonly payers: readonly Payer[];
  /** Accounts that submit batches. */
  readonly batchPayers: () => readonly Payer[];
  /** Uniform in [0, 1). */
  readonly chance: () => number;
}

const HEAL_MS = 45_000;
/** Beside busy loops a start alone may take a minute. */
const HEAL_MS_BUSY = 180_000;
const OPEN_STREAMS = 9;
const OPEN_SECONDS = 18;
const OPEN_SECONDS_KILLED = 6; // A node that holds the store's lock is killed after 2 s.
const OPENED_MS = 800;
/** Every second stop is at a crash point; the others use these points in turn. */
const STOPS: readonly (Frozen | null)[] = [null, 'before commit', 'in transaction'];
/** A restarted node reaches a point of a batch this often before it dies there. */
const BATCH_TIMES = 2;
/** Approximate share of the load that a restarted node gets: a third of the new connections. */
const SHARE_OF_RESTARTED = 0.2;

interface StrikeParts {
  /** Requests answered so far, per ms. */
  readonly perMs: () => number;
  readonly record: (strike: Strike) => void;
}

/** The faults of a run, one after the other: kills, stops, cuts, outages, full disks. */
export class Strikes {
  readonly fullDisks: FullDisk[] = [];
  readonly outages: Outage[] = [];
  readonly keyless: KeyOutage['keyless'][] = [];
  readonly #options: ChaosOptions;
  readonly #parts: StrikesParts;

  constructor(parts: StrikesParts) {
    this.#parts = parts;
    this.#options = parts.options;
  }

  async all(): Promise<readonly Strike[]> {
    const { stage, view: store, workload, payers, chance } = this.#parts;
    const nemesis = new Nemesis({
      ...{ store, workload, payers, chance, serving: () => this.#listed().map(({ pid }) => pid) },
      nodes: config.nodes.length,
      shards: config.runtime.shards,
      healMs: this.#options.busy ? HEAL_MS_BUSY : HEAL_MS,
      freeze: (node, stop) => stage.injector.set(node, { stop }),
    });
    const strikes: Strike[] = [];
    const record = (strike: Strike): void => this.#tell(strikes.push(strike), strike, workload);
    const startedAt = performance.now();
    const perMs = (): number => workload.answered / (performance.now() - startedAt);
    await this.#kill(nemesis, { perMs, record });
    const open = (seconds: number): readonly Promise<unknown>[] => {
      const some = payers.slice(0, OPEN_STREAMS);
      return some.map((payer) => workload.send(long(workload.nonce(), seconds), payer));
    };
    await this.#stop(nemesis, { perMs, record, open });
    await this.#cut(nemesis, record);
    await this.#outages(record);
    await pause(this.#options.calmMs);
    return strikes;
  }

  /** Kills in pairs: at random, then the next process of the same node at a crash point. */
  async #kill(nemesis: Nemesis, { perMs, record }: StrikeParts): Promise<void> {
    for (let kill = 0; kill < this.#options.kills; kill++) {
      await pause(this.#options.calmMs);
      const point = this.#point(kill >> 1);
      const armed = kill + 1 < this.#options.kills;
      const killed = await nemesis.killAny(this.#owned(point), (node) => armed && this.#arm(node.name, point, perMs()));
      record(killed);
      if (!armed || killed.successor === null) continue;
      record(await nemesis.awaitCrash(killed.successor, point));
      kill++;
    }
  }

  /** Stops in pairs: at random or at a forced point, then the next process of the same node at a crash point. */
  async #stop(
    nemesis: Nemesis,
    { perMs, record, open }: StrikeParts & { readonly open: (seconds: number) => readonly Promise<unknown>[] },
  ): Promise<void> {
    // A commit is one call to PostgreSQL: a node that stops never holds a lock of it.
    const { store, places = store === 'sqlite' ? STOPS : STOPS.slice(0, 2) } = this.#options;
    for (let stop = 0; stop < this.#options.stops; stop++) {
      await pause(this.#options.calmMs);
      const point = this.#point(stop >> 1);
      const pair = stop + 1 < this.#options.stops;
      const where = places[(stop >> 1) % places.length] as Frozen | null;
      // Streams still open when the zombie resumes: their node must end them then.
      const streams = open(where === 'in transaction' ? OPEN_SECONDS_KILLED : OPEN_SECONDS);
      await pause(OPENED_MS);
      const stopped = await nemesis.stopAny(
        this.#owned(point),
        where,
        (node) => pair && this.#arm(node.name, point, perMs(), 'SIGSTOP'),
      );
      record(stopped);
      if (pair && stopped.successor !== null) {
        record(await nemesis.awaitStop(stopped.successor, `SIGSTOP ${point}`));
        stop++;
      }
      await Promise.all(streams);
    }
  }

  async #cut(nemesis: Nemesis, record: (strike: Strike) => void): Promise<void> {
    const { links } = this.#parts.stage;
    for (let cut = 0; links !== null && cut < (this.#options.cuts ?? 0); cut++) {
      await pause(this.#options.calmMs);
      record(await nemesis.cutAny(links, CUTS[cut % CUTS.length] as Cut));
    }
  }

  #point(turn: number): string {
    const usual = [...CRASH_POINTS, ...BATCH_POINTS, ...(this.#options.owners ? PAYMENT_POINTS : [])];
    const { points = usual } = this.#options;
    return points[turn % points.length] as string;
  }

  /** Accounts whose owner reaches this point; payments have owners of their own. */
  #owned(point: string): readonly Payer[] {
    return isOfBatch(point) ? this.#parts.batchPayers() : this.#parts.payers;
  }

  /** Arms a crash point in the next process of the node, so that it dies while it handles its share of the load. */
  #arm(node: string, point: string, perMs: number, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL'): void {
    const ofLoad = Math.ceil(perMs * this.#options.calmMs * SHARE_OF_RESTARTED) + 1;
    const times = isOfPayment(point) ? 1 : isOfBatch(point) ? BATCH_TIMES : ofLoad;
    this.#parts.stage.crashPoints.arm(node, point, times, signal);
  }

  /** The nodes that serve, by the launcher. */
  #listed(): readonly ConnectionNode[] {
    return this.#parts.stage.cluster.connection()?.nodes ?? [];
  }

  async #outages(record: (strike: Strike) => void): Promise<void> {
    const { workload, payers, stage, view: store } = this.#parts;
    const { cluster, injector } = stage;
    const { baseUrl } = cluster;
    const database = join(cluster.data, 'troupe.db');
    const { losses = 0, clocks = 0, keyouts = 0, fulls = 0, calmMs } = this.#options;
    const nodes = (): readonly ConnectionNode[] => this.#listed();
    const pids = (): readonly number[] => nodes().map(({ pid }) => pid);
    const parts: OutageParts = {
      injector,
      names: config.nodes.map(({ name }) => name),
      baseUrl,
      workload,
      payers,
      pids,
    };
    const operatorToken = cluster.connection()?.operator_token ?? '';
    const all = [
      ...Array.from({ length: losses }, () => async () => loseStore(parts)),
      ...Array.from({ length: clocks }, () => async () => stepClocks(parts)),
      ...Array.from({ length: keyouts }, () => async () => {
        const outage = await loseKeyFolder({ ...parts, folder: join(cluster.data, 'keys') });
        this.keyless.push(outage.keyless);
        return outage;
      }),
    ];
    for (const outage of all) {
      await pause(calmMs);
      const ended = await outage();
      this.outages.push(ended);
      record(ended.strike);
    }
    for (let full = 0; full < fulls; full++) {
      await pause(calmMs);
      const filled = await fillDisk({ ...parts, database, store, nodes, operatorToken });
      this.fullDisks.push(filled);
      record(filled.strike);
    }
  }

  #tell(count: number, strike: Strike, workload: Workload): void {
    const outcome = strike.tookEffect
      ? `takeover ${strike.takeoverMs?.toFixed(0) ?? 'not observed'} ms, recovered ${strike.healedMs?.toFixed(0) ?? 'never'} ms`
      : 'had no effect';
    const { kills, stops, cuts = 0, losses = 0, clocks = 0, keyouts = 0, fulls = 0, tell } = this.#options;
    tell(
      `${count}/${kills + stops + cuts + losses + clocks + keyouts + fulls} ${strike.fault} on ${strike.node}: ${outcome}; ${workload.answered} answered`,
    );
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
