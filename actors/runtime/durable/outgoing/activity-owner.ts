import { type ActivityRecord, type AttemptEnd, notBegun } from '../../actor/cascade/activity-record.ts';
import { FAILURES_MAX } from '../../actor/cascade/dead-letter.ts';
import type { RowWrite } from '../../actor/cascade/row-cache.ts';
import type { SystemMessage } from '../../actor/cascade/system-message.ts';
import { FairQueue } from '../../collections/fair-queue.ts';
import { PooledMap } from '../../collections/pooled-map.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { RowRecord } from '../../ports/store.ts';
import type { ActivityAttempt, ClusterPort } from '../cluster-port.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { EngineHost } from '../engine.ts';
import type { Shard } from '../shard.ts';
import type { ActivityRunner, HeldAttempt } from './activity-runner.ts';

/** How often the owner examines attempts that run on other nodes or are overdue. */
const EXAMINE_MS = 1_000;
/** How often the owner asks a runner whether it still runs an attempt. */
const CHECK_MS = 5_000;
/** Attempts in one such request. */
const CHECKED_MAX = 1_000;
/** The owner ends an attempt this long after its deadline if the runner has not. */
const GRACE_MS = 5_000;

/** An open activity of a shard served here. */
interface OpenActivity {
  /** Ascends in the order of the requests. */
  readonly sort: number;
  readonly shard: Shard;
  readonly address: string;
  readonly id: string;
  record: ActivityRecord;
  /** The attempt as this node runs it; null if it does not. */
  held: HeldAttempt | null;
  /** The share of this node's room that the attempt waits for; null if it does not wait. */
  share: string | null;
  /** The end of the attempt is being delivered to the actor. */
  ending: boolean;
  thrown: number;
  /** Monotonic ms. */
  checkedAt: number;
}

/** The open activities of one shard. `touched`: keys written while the rows of the previous owner are being read. */
interface ShardActivities {
  readonly known: PooledMap<OpenActivity>;
  touched: Set<string> | null;
  paused: boolean;
}

/** Dependencies of `ActivityOwner`. */
interface ActivityOwnerParts {
  readonly self: string;
  readonly clusterPort: ClusterPort;
  readonly activityRunner: ActivityRunner;
  readonly dispatcher: Pick<Dispatcher, 'bring'>;
  readonly clock: Clock;
  readonly now: () => number;
  readonly host: EngineHost;
}

/**
 * The owner's side of activities: starts an activity when its record is durable, tracks which node runs each attempt,
 * and ends attempts whose runner is gone or late. A living runner continues when the shard changes its owner.
 */
export class ActivityOwner {
  private readonly parts: ActivityOwnerParts;
  private readonly byShard = new Map<Shard, ShardActivities>();
  /** Attempts that this node has no room for, by share. */
  private readonly roomless = new FairQueue<OpenActivity>();
  private examination: Cancel | null = null;

  constructor(parts: ActivityOwnerParts) {
    this.parts = parts;
  }

  open(shard: Shard): void {
    this.byShard.set(shard, { known: new PooledMap(), touched: new Set(), paused: false });
  }

  /** Takes over the records of the previous owner. */
  fill(shard: Shard, records: readonly RowRecord[]): void {
    const activities = this.byShard.get(shard);
    if (activities === undefined || activities.touched === null) return;
    for (const { address, id, sort, body } of records) {
      if (activities.touched.has(keyOf(address, id))) continue;
      // Forces a check in the first examination: a draining runner drops the attempts it has not begun.
      const checkedAt = Number.NEGATIVE_INFINITY;
      this.take(shard, activities, { address, id, sort, record: JSON.parse(body) as ActivityRecord, checkedAt });
    }
    activities.touched = null;
    this.examine();
  }

  /** Called when the entry that writes or removes this record is durable. The removal by a cancel carries the record. */
  durable(shard: Shard, { beside: { address }, id, sort, body, removed }: RowWrite): void {
    const activities = this.byShard.get(shard);
    if (activities === undefined) return;
    const key = keyOf(address, id);
    activities.touched?.add(key);
    const before = activities.known.get(key);
    const record = removed ? null : (body as ActivityRecord);
    const replaced = before?.record ?? (removed ? (body as ActivityRecord | null) : null);
    if (replaced !== null && !isSameRun(replaced, record)) this.abort(address, id, replaced);
    if (before !== undefined && before.share !== null) this.roomless.remove(before.share, before);
    if (record === null) activities.known.delete(key);
    else this.take(shard, activities, { address, id, sort, record, checkedAt: this.parts.clock.monotonic() });
  }

  pause(shard: Shard): void {
    const activities = this.byShard.get(shard);
    if (activities !== undefined) activities.paused = true;
  }

  drop(shard: Shard): void {
    this.byShard.delete(shard);
  }

  close(): void {
    this.examination?.();
    this.examination = null;
    this.byShard.clear();
  }

  /** Examines all open activities now, oldest first; called early when a node dies. */
  examine(): void {
    const due: OpenActivity[] = [];
    const lateBefore = this.parts.now() - GRACE_MS;
    let open = 0;
    for (const activities of this.byShard.values()) {
      if (activities.paused) continue;
      for (const known of activities.known.values()) {
        open++;
        if (known.ending || isHeld(known)) continue;
        if (known.share === null || known.record.deadlineAt < lateBefore) due.push(known);
      }
    }
    const checks = new Map<string, OpenActivity[]>();
    for (const known of due.sort((a, b) => a.sort - b.sort)) this.attend(known, checks);
    for (const [runner, those] of checks) {
      for (let at = 0; at < those.length; at += CHECKED_MAX) this.check(runner, those.slice(at, at + CHECKED_MAX));
    }
    // Begins as many as there is room for.
    while (this.roomless.take((known) => this.isPlaced(known)) !== null);
    if (open > 0) this.arm();
  }

  /** Ends an attempt that is late or whose runner died, starts one assigned to this node, or queues a check with its runner. */
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
    activities: ShardActivities,
    fresh: Pick<OpenActivity, 'address' | 'id' | 'sort' | 'record' | 'checkedAt'>,
  ): void {
    const known = { shard, ...fresh, held: null, share: null, ending: false, thrown: 0 };
    activities.known.set(keyOf(known.address, known.id), known);
    if (known.record.runner === this.parts.self && !activities.paused) this.begin(known);
    this.arm();
  }

  private arm(): void {
    this.examination ??= this.parts.clock.after(EXAMINE_MS, () => {
      this.examination = null;
      this.examine();
    });
  }

  /** Begins an attempt here, after the others that wait for room of its share; one that has room already keeps it. */
  private begin(known: OpenActivity): void {
    const { activityRunner } = this.parts;
    const { address, id, record } = known;
    const share = activityRunner.shareOf(address, record);
    const hasRoom = activityRunner.has({ address, id, attempt: record.attempt });
    if (hasRoom || !this.roomless.has(share)) known.held = activityRunner.start(address, id, record);
    if (known.held !== null) return;
    known.share = share;
    this.roomless.add(share, known);
  }

  /** True if an attempt stops waiting for room: it found room, or this node is no longer to begin it. */
  private isPlaced(known: OpenActivity): boolean {
    const { shard, address, id, record } = known;
    const activities = this.byShard.get(shard);
    if (activities !== undefined && !activities.paused && activities.known.get(keyOf(address, id)) === known) {
      known.held = this.parts.activityRunner.start(address, id, record);
      if (known.held === null) return false;
    }
    known.share = null;
    return true;
  }

  private abort(address: string, id: string, { attempt, runner }: ActivityRecord): void {
    const { self, activityRunner, clusterPort, host } = this.parts;
    const aborted = { address, id, attempt };
    if (runner === self) activityRunner.abort(aborted);
    else if (!host.isGone(runner)) clusterPort.abort(runner, [aborted]);
  }

  /** The cause of death counts only for attempts that had begun. */
  private runnerDied(known: OpenActivity): void {
    const { runner, begun } = known.record;
    const cause = begun ? this.parts.clusterPort.causeOf(runner) : 'killed';
    if (cause !== null) this.end(known, { type: 'died', crashed: cause === 'crashed' });
  }

  /** A living runner that does not hold an attempt has lost it and will not run it, so the attempt is ended. */
  private check(runner: string, those: readonly OpenActivity[]): void {
    const byKey = new Map(those.map((known) => [keyOf(known.address, known.id), known]));
    const attempts = those.map(({ address, id, record: { attempt } }): ActivityAttempt => ({ address, id, attempt }));
    this.parts.clusterPort.missing(runner, attempts).then(
      (missing) => {
        for (const { address, id, attempt } of missing) {
          const known = byKey.get(keyOf(address, id));
          if (known?.record.attempt === attempt && !known.ending) this.end(known, { type: 'died', crashed: false });
        }
      },
      () => {
        // Unreachable: the check is repeated later, and a dead runner is reported by the membership.
      },
    );
  }

  private end(known: OpenActivity, end: AttemptEnd): void {
    const { shard, address, id, record, thrown } = known;
    const activities = this.byShard.get(shard);
    if (activities?.known.get(keyOf(address, id)) !== known || shard.serving !== 'live') return;
    known.ending = true;
    const last = thrown >= FAILURES_MAX - 1;
    const systemMessage: SystemMessage = { type: 'result', id, attempt: record.attempt, key: record.key, end, last };
    const taken = this.parts.dispatcher.bring(shard, address, systemMessage, (answer) => {
      if (answer.ok) return;
      if (answer.failure.code === 'failed') known.thrown++;
      known.ending = false;
    });
    if (!taken) known.ending = false;
  }
}

/**
 * This node runs the attempt and reports its end. A result found before the deadline counts even if the report is slow.
 */
function isHeld({ held }: OpenActivity): boolean {
  return held !== null && !held.over;
}

function lateEnd({ begun, deadlineAt }: ActivityRecord): AttemptEnd {
  if (!begun) return notBegun(deadlineAt, 'its runner had no room for it');
  const message = 'its deadline has passed and its runner has not reported';
  return { type: 'failed', code: 'deadline', message, retriable: true };
}

function isSameRun(before: ActivityRecord, now: ActivityRecord | null): boolean {
  return before.attempt === now?.attempt && before.runner === now.runner;
}

function keyOf(address: string, id: string): string {
  return `${address} ${id}`;
}
