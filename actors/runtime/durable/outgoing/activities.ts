import { type ActivityRecord, type AttemptEnd, notBegun } from '../../actor/activity-record.ts';
import { FAILURES_MAX } from '../../actor/dead-letter.ts';
import type { RowWrite } from '../../actor/row-cache.ts';
import type { SystemMessage } from '../../actor/system-message.ts';
import { PooledMap } from '../../collections/pooled-map.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { RowRecord } from '../../ports/store.ts';
import type { EngineHost } from '../engine/engine.ts';
import type { Runner } from '../engine/runner.ts';
import type { Shard } from '../engine/shard.ts';
import type { ActivityRunner } from './activity-runner.ts';
import type { ActivityAttempt, ClusterPort } from './cluster-port.ts';

/** How often what runs elsewhere, or should have ended, is looked at. */
const LOOK_MS = 1_000;
/** A runner is asked this often whether it still runs what is said of it. */
const CHECK_MS = 5_000;
/** Attempts that one question to a runner names. */
const CHECKED_MAX = 1_000;
/** How long after its deadline the owner ends an attempt whose runner did not. */
const GRACE_MS = 5_000;

/** An open activity of a shard served here. */
interface OpenActivity {
  /** Ascends in the order of asking. */
  readonly sort: number;
  readonly shard: Shard;
  readonly address: string;
  readonly id: string;
  record: ActivityRecord;
  /** Its end is on its way to the actor. */
  ending: boolean;
  thrown: number;
  /** Monotonic ms. */
  checkedAt: number;
}

/** The open activities of one shard. `touched`: those written while an earlier owner's are being read. */
interface ShardActivities {
  readonly known: PooledMap<OpenActivity>;
  touched: Set<string> | null;
  resting: boolean;
}

/** What the owner's side works with. */
export interface ActivitiesParts {
  readonly self: string;
  readonly clusterPort: ClusterPort;
  readonly activityRunner: ActivityRunner;
  readonly runner: () => Runner;
  readonly clock: Clock;
  readonly now: () => number;
  readonly host: EngineHost;
}

/**
 * The owner's side of work in the world: begins what is durable, knows which node runs what, and ends an attempt whose
 * runner is gone or late. A runner that lives goes on, whoever owns the shard.
 */
export class Activities {
  private readonly parts: ActivitiesParts;
  private readonly books = new Map<Shard, ShardActivities>();
  private look: Cancel | null = null;

  constructor(parts: ActivitiesParts) {
    this.parts = parts;
  }

  open(shard: Shard): void {
    this.books.set(shard, { known: new PooledMap(), touched: new Set(), resting: false });
  }

  /** What an earlier owner left. */
  fill(shard: Shard, records: readonly RowRecord[]): void {
    const book = this.books.get(shard);
    if (book === undefined || book.touched === null) return;
    for (const { address, id, sort, body } of records) {
      if (book.touched.has(keyOf(address, id))) continue;
      // Checked at the first look: a runner that drains has dropped the attempts it did not begin.
      const checkedAt = Number.NEGATIVE_INFINITY;
      this.take(shard, book, { address, id, sort, record: JSON.parse(body) as ActivityRecord, checkedAt });
    }
    book.touched = null;
    this.examine();
  }

  /** The entry that writes or removes this record is durable. */
  durable(shard: Shard, { beside: { address }, id, sort, body, removed }: RowWrite): void {
    const book = this.books.get(shard);
    if (book === undefined) return;
    const key = keyOf(address, id);
    book.touched?.add(key);
    const before = book.known.get(key);
    const record = removed ? null : (body as ActivityRecord);
    if (before !== undefined && !isSameRun(before.record, record)) this.abort(before);
    if (record === null) book.known.delete(key);
    else this.take(shard, book, { address, id, sort, record, checkedAt: this.parts.clock.monotonic() });
  }

  rest(shard: Shard): void {
    const book = this.books.get(shard);
    if (book !== undefined) book.resting = true;
  }

  forget(shard: Shard): void {
    this.books.delete(shard);
  }

  close(): void {
    this.look?.();
    this.look = null;
    this.books.clear();
  }

  /** Looks at everything now, for instance because a node died; oldest first. */
  examine(): void {
    const due: OpenActivity[] = [];
    let open = 0;
    for (const book of this.books.values()) {
      if (book.resting) continue;
      for (const known of book.known.values()) {
        open++;
        if (!known.ending && !this.isOurs(known)) due.push(known);
      }
    }
    const checks = new Map<string, OpenActivity[]>();
    for (const known of due.sort((a, b) => a.sort - b.sort)) this.attend(known, checks);
    for (const [runner, those] of checks) {
      for (let at = 0; at < those.length; at += CHECKED_MAX) this.check(runner, those.slice(at, at + CHECKED_MAX));
    }
    if (open > 0) this.arm();
  }

  /** An attempt that this node does not hold: ends it if it is over, begins it, or asks its runner about it. */
  private attend(known: OpenActivity, checks: Map<string, OpenActivity[]>): void {
    const { host, self, now, clock } = this.parts;
    const { runner, deadlineAt } = known.record;
    if (host.isGone(runner)) this.runnerDied(known);
    else if (now() > deadlineAt + GRACE_MS) this.end(known, lateEnd(known.record));
    else if (runner === self) this.begin(known);
    else if (clock.monotonic() - known.checkedAt >= CHECK_MS) {
      known.checkedAt = clock.monotonic();
      const those = checks.get(runner);
      if (those === undefined) checks.set(runner, [known]);
      else those.push(known);
    }
  }

  private take(
    shard: Shard,
    book: ShardActivities,
    fresh: Pick<OpenActivity, 'address' | 'id' | 'sort' | 'record' | 'checkedAt'>,
  ): void {
    const known = { shard, ...fresh, ending: false, thrown: 0 };
    book.known.set(keyOf(known.address, known.id), known);
    if (known.record.runner === this.parts.self && !book.resting) this.begin(known);
    this.arm();
  }

  private arm(): void {
    this.look ??= this.parts.clock.after(LOOK_MS, () => {
      this.look = null;
      this.examine();
    });
  }

  /** This node has it and will tell how it ended: a result found in time is not thrown away because telling took long. */
  private isOurs({ address, id, record: { attempt, runner } }: OpenActivity): boolean {
    return runner === this.parts.self && this.parts.activityRunner.has({ address, id, attempt });
  }

  private begin({ address, id, record }: OpenActivity): void {
    this.parts.activityRunner.start(address, id, record);
  }

  private abort({ address, id, record }: OpenActivity): void {
    const { self, activityRunner, clusterPort, host } = this.parts;
    const attempt = { address, id, attempt: record.attempt };
    if (record.runner === self) activityRunner.abort(attempt);
    else if (!host.isGone(record.runner)) clusterPort.abort(record.runner, [attempt]);
  }

  /** The cause matters only to what was running. */
  private runnerDied(known: OpenActivity): void {
    const { runner, begun } = known.record;
    const cause = begun ? this.parts.clusterPort.causeOf(runner) : 'outside';
    if (cause !== null) this.end(known, { type: 'died', ownHand: cause === 'own-hand' });
  }

  /** A node that lives but does not run what is said of it never will: its memory of the shard was lost. */
  private check(runner: string, those: readonly OpenActivity[]): void {
    const asked = new Map(those.map((known) => [keyOf(known.address, known.id), known]));
    const attempts = those.map(({ address, id, record: { attempt } }): ActivityAttempt => ({ address, id, attempt }));
    this.parts.clusterPort.missing(runner, attempts).then(
      (missing) => {
        for (const { address, id, attempt } of missing) {
          const known = asked.get(keyOf(address, id));
          if (known?.record.attempt === attempt && !known.ending) this.end(known, { type: 'died', ownHand: false });
        }
      },
      () => {
        // Not reached: asked again later, and should it be dead the cluster will say so.
      },
    );
  }

  private end(known: OpenActivity, end: AttemptEnd): void {
    const { shard, address, id, record, thrown } = known;
    const book = this.books.get(shard);
    if (book?.known.get(keyOf(address, id)) !== known || shard.serving !== 'live') return;
    known.ending = true;
    const last = thrown >= FAILURES_MAX - 1;
    const systemMessage: SystemMessage = { type: 'result', id, attempt: record.attempt, end, last };
    const taken = this.parts.runner().bring(shard, address, systemMessage, (answer) => {
      if (answer.ok) return;
      if (answer.failure.code === 'failed') known.thrown++;
      known.ending = false;
    });
    if (!taken) known.ending = false;
  }
}

function lateEnd({ begun, deadlineAt }: ActivityRecord): AttemptEnd {
  if (!begun) return notBegun(deadlineAt, 'its runner had no room for it');
  const message = 'its deadline is over and its runner has not reported';
  return { type: 'failed', code: 'deadline', message, retriable: true };
}

function isSameRun(before: ActivityRecord, now: ActivityRecord | null): boolean {
  return before.attempt === now?.attempt && before.runner === now.runner;
}

function keyOf(address: string, id: string): string {
  return `${address} ${id}`;
}
