import {
  type ActorQuery,
  type ClusterRows,
  type Heartbeat,
  type IndexColumn,
  type RowKey,
  type RowQuery,
  type RowRecord,
  type ShardRow,
  type ShardVerdict,
  type ShardWrite,
  type Store,
  StoreOutcomeUnknown,
  StoreRefused,
} from '../../../actors/runtime/ports/store.ts';
import type { Registration } from '../../support/memory-membership.ts';
import type { Database } from './database.ts';
import type { Dice } from './dice.ts';
import type { Place } from './scheduler.ts';

/** Faults between one node and the store: probabilities per call. */
export interface StoreTraits {
  readonly minMs: number;
  readonly maxMs: number;
  /** The call takes up to a second longer. */
  readonly slow: number;
  /** The call is refused and has no effect: the store is busy or full. */
  readonly refuses: number;
  /** The outcome is unknown: the call took effect, did not, or will shortly. */
  readonly silent: number;
  /** A commit arrives twice, as over a path that retries unacknowledged requests. */
  readonly echoes: number;
}

export const SOUND: StoreTraits = { minMs: 0.1, maxMs: 1.5, slow: 0, refuses: 0, silent: 0, echoes: 0 };

const SLOW_MS_MAX = 1_000;
/** How long a caller waits for a lost reply, and how late its call may still take effect. */
const SILENCE_MS_MAX = 2_500;
const LATE_MS_MAX = 6_000;
const ECHO_MS_MAX = 3_000;
const STEP_MS = 0.000_001;
const MOVES: ReadonlySet<string> = new Set(['claim', 'give']);
const MOVE_SILENCE = 5;
const MOVE_SILENCE_MAX = 0.5;
const REFUSALS = ['busy', 'full'] as const;

/**
 * One node's connection to the database of the world. Every call has a latency each way and executes atomically; reads see
 * all earlier commits. A call may fail definitely, slowly, or with an unknown outcome.
 */
export class SimulatedStore implements Store {
  traits: StoreTraits = SOUND;
  /** True while disconnected: new calls are refused, and calls in flight get no reply. */
  cut = false;
  readonly #database: Database;
  readonly #place: Place;
  readonly #dice: Dice;
  readonly parts: number;
  /** Execution time of the last commit of each store part: the commits of a part execute in request order. */
  readonly #lastCommitAt = new Map<number, number>();

  constructor(database: Database, place: Place, dice: Dice, parts = 1) {
    this.parts = parts;
    this.#database = database;
    this.#place = place;
    this.#dice = dice;
  }

  commit(writes: readonly ShardWrite[]): Promise<readonly ShardVerdict[]> {
    const echoes = this.#dice.happens(this.traits.echoes) && writes.every(isVersioned);
    const delayMs = this.#commitDelayMs((writes[0]?.shard ?? 0) % this.parts);
    return this.#call('commit', delayMs, () => {
      // After the first arrival, whose verdict is returned.
      if (echoes) this.#later(this.#dice.between(0, ECHO_MS_MAX), () => this.#echo(writes));
      return this.#database.commit(writes, this.#place.name);
    });
  }

  loadActor(address: string) {
    return this.#ask('loadActor', () => this.#database.tables.loadActor(address));
  }
  listActors(query: ActorQuery) {
    return this.#ask('listActors', () => this.#database.tables.listActors(query));
  }
  actorCounts() {
    return this.#ask('actorCounts', () => this.#database.tables.actorCounts());
  }
  states() {
    return this.#ask('states', () => this.#database.tables.states());
  }
  row(key: RowKey) {
    return this.#ask('row', () => this.#database.tables.row(key));
  }
  rowById(collection: string, id: string) {
    return this.#ask('rowById', () => this.#database.tables.rowById(collection, id));
  }
  rows(query: RowQuery) {
    return this.#ask('rows', () => this.#database.tables.query(query));
  }
  referred(columns: readonly IndexColumn[], values: readonly string[]) {
    return this.#ask('referred', () => this.#database.tables.referred(columns, values));
  }
  sweepRows(now: number, limit: number) {
    return this.#ask('sweepRows', () => this.#database.tables.sweep(now, limit));
  }
  expiredRows(now: number, limit: number) {
    return this.#ask('expiredRows', () => this.#database.tables.expired(now, limit));
  }
  removeRows(rows: readonly RowRecord[]) {
    return this.#ask('removeRows', () => this.#database.tables.remove(rows));
  }
  timersDue(shards: readonly number[], until: number, limit: number) {
    return this.#ask('timersDue', () => this.#database.tables.timersDue(shards, until, limit));
  }
  timersOf(address: string) {
    return this.#ask('timersOf', () => this.#database.tables.timersOf(address));
  }
  register(node: Registration) {
    return this.#ask('register', () => this.#database.tables.register(node));
  }
  heartbeat(beat: Heartbeat): Promise<ClusterRows> {
    return this.#ask('heartbeat', () => this.#database.heartbeat(beat));
  }
  markDead(incarnation: string, seenBeat: number, why: string, suspectedAt?: number) {
    return this.#ask('markDead', () => this.#database.markDead(incarnation, seenBeat, why, suspectedAt));
  }
  leave(incarnation: string) {
    return this.#ask('leave', () => this.#database.tables.leave(incarnation));
  }
  shards() {
    return this.#ask('shards', () => this.#database.shards());
  }
  claim(owner: string, from: readonly ShardRow[]) {
    return this.#ask('claim', () => this.#database.claim(owner, from));
  }
  give(from: ShardRow, to: string) {
    return this.#ask('give', () => this.#database.give(from, to));
  }
  clusterEvents(query: Parameters<Store['clusterEvents']>[0]) {
    return this.#ask('clusterEvents', () => this.#database.tables.clusterEvents(query));
  }
  setting(name: string, valueIfAbsent: string) {
    return this.#ask('setting', () => this.#database.tables.setting(name, valueIfAbsent));
  }
  async close(): Promise<void> {}

  #ask<T>(name: string, happens: () => T): Promise<T> {
    return this.#call(name, this.#delayMs(), happens);
  }

  #echo(writes: readonly ShardWrite[]): void {
    this.#database.commit(writes, this.#place.name, true);
  }

  #call<T>(name: string, delayMs: number, happens: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const { dice, traits } = { dice: this.#dice, traits: this.traits };
      const refuse = (reason: StoreRefused['reason']): void => {
        if (name === 'commit') this.#database.refusals += 1;
        this.#answer(() => reject(new StoreRefused(reason, `the simulated store is ${reason}`)));
      };
      if (this.cut) return refuse('unreachable');
      if (dice.happens(traits.refuses)) return refuse(dice.pick(REFUSALS));
      if (dice.happens(this.#silent(name))) return this.#silence(name, happens, reject);
      this.#later(delayMs, () => {
        // The connection is lost before the call is sent.
        if (this.cut) return this.#answer(() => reject(unknown(name)));
        let answer: () => void;
        try {
          const result = happens();
          answer = () => resolve(result);
        } catch (error) {
          answer = () => reject(error);
        }
        this.#answer(() => (this.cut ? reject(unknown(name)) : answer()));
      });
    });
  }

  /** The call takes effect now, later or never, and its reply is lost. */
  #silence(name: string, happens: () => unknown, reject: (error: Error) => void): void {
    if (this.#dice.happens(0.75)) {
      this.#later(this.#dice.happens(0.6) ? this.#delayMs() : this.#dice.between(0, LATE_MS_MAX), () => {
        try {
          happens();
          this.#database.unanswered(name);
        } catch {
          // The reply is lost.
        }
      });
    }
    this.#later(this.#dice.between(1, SILENCE_MS_MAX), () => reject(unknown(name)), this.#place);
  }

  #delayMs(): number {
    const { minMs, maxMs, slow } = this.traits;
    const ms = this.#dice.between(minMs, maxMs);
    return this.#dice.happens(slow) ? ms + this.#dice.between(0, SLOW_MS_MAX) : ms;
  }

  /** Claims and gives are rare, so their probability of an unknown outcome is raised. */
  #silent(name: string): number {
    const { silent } = this.traits;
    return MOVES.has(name) ? Math.min(silent * MOVE_SILENCE, MOVE_SILENCE_MAX) : silent;
  }

  #commitDelayMs(part: number): number {
    const { now } = this.#database.scheduler;
    const at = Math.max(now + this.#delayMs(), (this.#lastCommitAt.get(part) ?? 0) + STEP_MS);
    this.#lastCommitAt.set(part, at);
    return at - now;
  }

  /** The reply's latency; its process may be paused or gone on arrival. */
  #answer(run: () => void): void {
    this.#later(this.#delayMs(), run, this.#place);
  }

  #later(delayMs: number, run: () => void, place: Place | null = null): void {
    this.#database.scheduler.after(delayMs, run, place);
  }
}

function unknown(name: string): StoreOutcomeUnknown {
  return new StoreOutcomeUnknown(`the connection was lost during ${name}`);
}

/** True when a second arrival of this write must be refused: it writes an actor that already exists, so its version has changed. */
function isVersioned(write: ShardWrite): boolean {
  return write.stopped.length === 0 && write.actors.some(({ expected }) => expected > 0);
}
