import { kindOf, shardOf } from '../../actor/address.ts';
import type { CommittedStep, Engine } from '../../durable/engine.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { NodeLimits } from '../../ports/limits.ts';
import type { ShardRow } from '../../ports/store.ts';
import type { Member } from '../membership/member.ts';

/** For this long after a claim the work of its shards is watched. */
const WATCH_MS = 10_000;
/** A report follows the one before it no sooner. */
const REPORT_MS = 1_000;
/** First steps that a report names of each kind, and actors that it counts of all. */
const STEPS_PER_KIND_MAX = 8;
const ACTORS_COUNTED_MAX = 10_000;

/** How the actors of a dead node's shards went on at one of its successors. */
export interface Resumption {
  /** Incarnations of the successor and of the dead node. */
  readonly incarnation: string;
  readonly fromIncarnation: string;
  /** Name of the successor. */
  readonly node: string;
  /** Shards that it took over. */
  readonly shards: number;
  /** Store time of its first commit in them, ms. */
  readonly firstCommitAt: number;
  /** Actors of these shards in its memory at the report. */
  readonly loaded: number;
  readonly kinds: readonly ResumedKind[];
}

interface ResumedKind {
  readonly kind: string;
  /** Actors that committed a step within the watch. */
  readonly actors: number;
  /** The first step of the first of them, in order. */
  readonly steps: readonly Pick<CommittedStep, 'address' | 'version' | 'at' | 'event' | 'from' | 'to' | 'epoch'>[];
}

/** A shard that this node has claimed, and the incarnation that had it. */
interface TakenShard extends ShardRow {
  readonly from: string | null;
}

export interface ResumptionsParts {
  readonly self: string;
  /** Without `onResumed` nothing is watched. */
  readonly host: { readonly name: string; readonly onResumed?: (resumption: Resumption) => void };
  readonly clock: Clock;
  readonly limits: Pick<NodeLimits, 'shards'>;
  readonly member: () => Pick<Member, 'isDead'>;
  readonly engine: () => Pick<Engine, 'loadedOf'>;
}

interface Watch {
  readonly from: string;
  /** Epochs by shard. */
  readonly epochs: Map<number, number>;
  readonly seen: Set<string>;
  readonly kinds: Map<string, { actors: number; readonly steps: CommittedStep[] }>;
  firstCommitAt: number | null;
  reportedAt: number;
  isReportDue: boolean;
  cancelReport: Cancel;
}

/**
 * Watches the first commits in shards that this node took over from a dead one, and reports them: at the first commit, at
 * most once a second after it, and for ten seconds. Nothing is watched at other times.
 */
export class Resumptions {
  readonly #parts: ResumptionsParts;
  readonly #watches = new Map<string, Watch>();

  constructor(parts: ResumptionsParts) {
    this.#parts = parts;
  }

  took(rows: readonly TakenShard[]): void {
    if (this.#parts.host.onResumed === undefined) return;
    const member = this.#parts.member();
    for (const { shard, epoch, from } of rows) {
      if (from !== null && member.isDead(from)) this.#watchOf(from).epochs.set(shard, epoch);
    }
  }

  /** True while the steps of this node are to be passed to `see`. */
  get areWatched(): boolean {
    return this.#watches.size > 0;
  }

  /** An actor of this node has committed a step. */
  see(step: CommittedStep): void {
    if (this.#watches.size === 0) return;
    const shard = shardOf(step.address, this.#parts.limits.shards);
    for (const watch of this.#watches.values()) {
      if (watch.epochs.get(shard) !== step.epoch || watch.seen.has(step.address)) continue;
      if (watch.seen.size >= ACTORS_COUNTED_MAX) continue;
      watch.seen.add(step.address);
      this.#note(watch, step);
    }
  }

  #watchOf(from: string): Watch {
    const known = this.#watches.get(from);
    if (known !== undefined) return known;
    const watch: Watch = {
      from,
      epochs: new Map(),
      seen: new Set(),
      kinds: new Map(),
      firstCommitAt: null,
      reportedAt: Number.NEGATIVE_INFINITY,
      isReportDue: false,
      cancelReport: () => {},
    };
    this.#watches.set(from, watch);
    this.#parts.clock.after(WATCH_MS, () => this.#end(watch));
    return watch;
  }

  #end(watch: Watch): void {
    this.#watches.delete(watch.from);
    watch.cancelReport();
    if (watch.isReportDue) this.#report(watch);
  }

  #note(watch: Watch, step: CommittedStep): void {
    const kind = kindOf(step.address);
    const noted = watch.kinds.get(kind) ?? { actors: 0, steps: [] };
    noted.actors += 1;
    if (noted.steps.length < STEPS_PER_KIND_MAX) noted.steps.push(step);
    watch.kinds.set(kind, noted);
    watch.firstCommitAt ??= step.at;
    if (watch.isReportDue) return;
    watch.isReportDue = true;
    const { clock } = this.#parts;
    const waitMs = Math.max(0, watch.reportedAt + REPORT_MS - clock.monotonic());
    watch.cancelReport = clock.after(waitMs, () => this.#report(watch));
  }

  #report(watch: Watch): void {
    const { self, host, clock, engine } = this.#parts;
    watch.isReportDue = false;
    watch.reportedAt = clock.monotonic();
    const { from, epochs, firstCommitAt, kinds } = watch;
    host.onResumed?.({
      incarnation: self,
      fromIncarnation: from,
      node: host.name,
      shards: epochs.size,
      firstCommitAt: firstCommitAt as number,
      loaded: [...epochs.keys()].reduce((sum, shard) => sum + engine().loadedOf(shard), 0),
      kinds: [...kinds].map(([kind, { actors, steps }]) => ({ kind, actors, steps: steps.map(placeOf) })),
    });
  }
}

function placeOf({ address, version, at, event, from, to, epoch }: CommittedStep): ResumedKind['steps'][number] {
  return { address, version, at, event, from, to, epoch };
}
