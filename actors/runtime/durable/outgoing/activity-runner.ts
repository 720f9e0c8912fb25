import { AskError } from '../../actor/answer.ts';
import {
  type ActivityRecord,
  type AttemptEnd,
  FAILURE_CHARS_MAX,
  notBegun,
} from '../../actor/cascade/activity-record.ts';
import { FAILURES_MAX } from '../../actor/cascade/dead-letter.ts';
import {
  encodeSystemMessage,
  type InputOutcome,
  MESSAGE_CHARS_MAX,
  type SystemMessage,
} from '../../actor/cascade/system-message.ts';
import type { Json } from '../../actor/event.ts';
import { Counts } from '../../collections/counts.ts';
import { PooledMap } from '../../collections/pooled-map.ts';
import { ActivityFailed } from '../../ports/activity.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ActivityAttempt, ClusterPort } from '../cluster-port.ts';
import { backOffMs } from '../cluster-port.ts';
import type { Finishing } from '../engine.ts';
import { ActivityScheduler, type Scheduled } from './activity-scheduler.ts';

/**
 * Attempts of this node that wait, run or report their end. One group may hold at most as many as are free, which
 * leaves room for groups that arrive later. The owner offers a rejected attempt again in each of its examinations.
 */
export const ATTEMPTS_MAX = 16_384;
const SEND_WITHIN_MS = 10_000;
/** How often a drain checks the attempts that have a longer grace than their node. */
const PATIENCE_CHECK_MS = 1_000;
/** Delay before an attempt whose actor is quarantined tries to begin again. */
const QUARANTINED_MS = 60_000;

/** An attempt that this node holds, as its owner sees it. */
export interface HeldAttempt {
  /** True once the node no longer holds it. */
  readonly over: boolean;
}

interface RunningAttempt extends ActivityAttempt, Scheduled {
  readonly record: ActivityRecord;
  readonly controller: AbortController;
  /**
   * `waiting`: queued; `beginning`: its beginning is being recorded; `running`; `reporting`: its end is being
   * delivered.
   */
  state: 'waiting' | 'beginning' | 'running' | 'reporting';
  over: boolean;
  deadline: Cancel;
  /** `thrown`: how often the actor threw on the result. `tries`: how often delivery failed. */
  thrown: number;
  tries: number;
}

/** Dependencies of `ActivityRunner`. */
interface ActivityRunnerParts {
  readonly self: string;
  readonly clusterPort: ClusterPort;
  readonly clock: Clock;
  /** Store time, ms. */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Runs the attempts assigned to this node, wherever their actors are now. Records that an attempt begins, calls the
 * handler, bounds it by its deadline, and reports the end to the actor's owner until the owner has committed it.
 * Attempts begin in the order of the scheduler, from the moment the node serves until it drains.
 */
export class ActivityRunner {
  private readonly parts: ActivityRunnerParts;
  private readonly scheduler: ActivityScheduler<RunningAttempt>;
  private readonly attempts = new PooledMap<RunningAttempt>();
  /** Attempts on this node, by activity and group. */
  private readonly held = new Counts();
  private onIdle: (() => void) | null = null;
  /** True while `pump` runs: its loop also uses places that become free meanwhile. */
  private pumping = false;
  private phase: 'idle' | 'serving' | 'over' = 'idle';

  constructor(parts: ActivityRunnerParts) {
    this.parts = parts;
    this.scheduler = new ActivityScheduler(parts.clusterPort.activities);
  }

  get size(): number {
    return this.attempts.size;
  }

  has({ address, id, attempt }: ActivityAttempt): boolean {
    return this.attempts.get(keyOf(address, id))?.attempt === attempt;
  }

  /** Called when the node serves: attempts begin from now on. */
  serve(): void {
    if (this.phase !== 'idle') return;
    this.phase = 'serving';
    this.pump();
  }

  /**
   * Called when the node drains: no attempt begins from now on. Drops those that have not begun; the next owner starts
   * them.
   */
  pause(): void {
    this.phase = 'over';
    for (const running of this.attempts.values()) {
      if (running.state === 'waiting' || running.state === 'beginning') this.end(running, 'left to the next owner');
    }
  }

  /** The name of the share of this node's room that an attempt takes from: activity and group. */
  shareOf(address: string, { name, input }: ActivityRecord): string {
    return shareOf(name, this.scheduler.groupOf(name, address, input));
  }

  /**
   * Accepts an attempt whose record is durable; null if there is no room. Ends any other attempt under this id: an older
   * one, or one of an earlier activity that used the same id and was cancelled without this node hearing of it.
   */
  start(address: string, id: string, record: ActivityRecord): HeldAttempt | null {
    const { attempt, key, name, suspect, deadlineAt } = record;
    const held = this.attempts.get(keyOf(address, id));
    if (held?.attempt === attempt && held.record.key === key) return held;
    if (held !== undefined) this.end(held, 'superseded');
    if (this.phase === 'over') return null;
    const group = this.scheduler.groupOf(name, address, record.input);
    if (this.held.of(shareOf(name, group)) >= ATTEMPTS_MAX - this.attempts.size) return null;
    const controller = new AbortController();
    const fresh = { over: false, deadline: () => {}, thrown: 0, tries: 0 };
    const own = { address, id, attempt, name, group, suspect };
    const running: RunningAttempt = { ...own, record, controller, state: 'waiting', ...fresh };
    this.attempts.set(keyOf(address, id), running);
    this.held.raise(shareOf(name, group));
    const leftMs = Math.max(0, deadlineAt - this.parts.now());
    running.deadline = this.parts.clock.after(leftMs, () => this.late(running));
    this.enqueue(running);
    return running;
  }

  /** Ends an attempt, or an older one of the same activity, without a report to its actor. */
  abort({ address, id, attempt }: ActivityAttempt): void {
    const running = this.attempts.get(keyOf(address, id));
    if (running !== undefined && running.attempt <= attempt) this.end(running, 'superseded');
  }

  /** Called when this node is dead or leaves: its results no longer count. */
  abortAll(why: string): void {
    this.phase = 'over';
    for (const running of this.attempts.values()) this.end(running, why);
  }

  /**
   * The end of a drain: resolves when no attempt is left to run or to report. Drops each once its grace has passed, and
   * reports those that have a longer one every second.
   */
  async finish({ since, graceMs, waits }: Finishing): Promise<void> {
    this.phase = 'over';
    for (let withinMs = since + graceMs - this.parts.clock.monotonic(); ; withinMs = PATIENCE_CHECK_MS) {
      await this.idle(Math.max(0, withinMs));
      const spentMs = this.parts.clock.monotonic() - since;
      if (spentMs < graceMs && this.attempts.size > 0) continue;
      for (const running of this.attempts.values()) {
        if (spentMs >= this.patienceMs(running)) this.end(running, 'its node leaves');
      }
      const kept = [...this.attempts.values()];
      if (kept.length === 0) return;
      const longestMs = Math.max(...kept.map((running) => this.patienceMs(running)));
      waits({ addresses: kept.map(({ address }) => address), leftMs: longestMs - spentMs });
    }
  }

  /** The grace of an attempt beyond that of its node; 0 without one. A found result is reported as long as that lasts. */
  private patienceMs({ name, address, id, state }: RunningAttempt): number {
    const patience = this.parts.clusterPort.activities[name]?.patience;
    if (patience === undefined) return 0;
    const applies = state === 'reporting' || (state === 'running' && patience.applies(address, id));
    return applies ? patience.graceMs : 0;
  }

  /** Resolves when no attempt is left to run or to report, at the latest after `withinMs`. */
  private async idle(withinMs: number): Promise<void> {
    if (this.attempts.size === 0) return;
    await new Promise<void>((resolve) => {
      this.onIdle = () => {
        late();
        resolve();
      };
      const late = this.parts.clock.after(withinMs, resolve);
    });
    this.onIdle = null;
  }

  private enqueue(running: RunningAttempt): void {
    this.scheduler.add(running);
    this.pump();
  }

  private isCurrent(running: RunningAttempt): boolean {
    return this.attempts.get(keyOf(running.address, running.id)) === running;
  }

  private pump(): void {
    if (this.phase !== 'serving' || this.pumping) return;
    this.pumping = true;
    try {
      for (let next = this.scheduler.next(); next !== null; next = this.scheduler.next()) this.begin(next);
    } finally {
      this.pumping = false;
    }
  }

  /** Records the beginning before it calls the handler: a node's death counts only against attempts that had begun. */
  private begin(running: RunningAttempt): void {
    const { address, id, attempt, record, suspect } = running;
    running.state = 'beginning';
    if (this.parts.now() >= record.deadlineAt) {
      this.finished(running, notBegun(record.deadlineAt, waited(suspect)));
      return;
    }
    this.send(address, { type: 'begin', id, attempt, runner: this.parts.self }).then(
      (inputOutcome) => {
        if (!this.isCurrent(running) || running.state !== 'beginning') return;
        if (inputOutcome === 'taken' || inputOutcome === 'repeat') this.run(running);
        else this.end(running, 'superseded');
      },
      (error: unknown) => {
        if (this.isCurrent(running) && running.state === 'beginning') this.stepBack(running, error);
      },
    );
  }

  /** Handles a beginning that was not recorded: frees the place and tries again later. */
  private stepBack(running: RunningAttempt, error: unknown): void {
    const { clock, clusterPort } = this.parts;
    const quarantined = error instanceof AskError && error.failure.code === 'quarantined';
    running.state = 'waiting';
    running.tries++;
    this.scheduler.ended(running);
    clock.after(quarantined ? QUARANTINED_MS : backOffMs(running.tries, clusterPort.random), () => {
      if (this.isCurrent(running) && running.state === 'waiting') this.enqueue(running);
    });
    this.pump();
  }

  private run(running: RunningAttempt): void {
    const { address, id, attempt, record, controller } = running;
    const { name, input, key, deadlineAt } = record;
    const handler = this.parts.clusterPort.activities[name];
    running.state = 'running';
    running.tries = 0;
    const job = { address, id, name, input, key, attempt, deadlineAt };
    Promise.resolve()
      .then((): Promise<Json> => {
        if (controller.signal.aborted) throw controller.signal.reason;
        if (handler === undefined) throw new ActivityFailed('no-handler', `no handler is called ${name}`, false);
        return handler.run(job, controller.signal);
      })
      .then(
        (result) => this.finished(running, endOf(result)),
        (error: unknown) => this.finished(running, failureOf(error)),
      );
  }

  private late(running: RunningAttempt): void {
    if (running.state === 'reporting' || !this.isCurrent(running)) return;
    const { deadlineAt } = running.record;
    if (running.state !== 'running') {
      this.finished(running, notBegun(deadlineAt, this.delayOf(running)));
      return;
    }
    const message = `it did not end by ${new Date(deadlineAt).toISOString()}`;
    this.finished(running, { type: 'failed', code: 'deadline', message, retriable: true });
    running.controller.abort(new Error('the deadline has passed'));
  }

  /** Why an attempt has not begun. */
  private delayOf({ state, tries, suspect }: RunningAttempt): string {
    if (this.phase !== 'serving') return 'its node did not serve yet';
    if (state === 'beginning' || tries > 0) return 'its beginning could not be recorded';
    return waited(suspect);
  }

  private finished(running: RunningAttempt, end: AttemptEnd): void {
    if (!this.isCurrent(running) || running.state === 'reporting') return;
    this.release(running);
    running.deadline();
    this.report(running, end);
  }

  /** Frees the place of an attempt, so that others can begin. */
  private release(running: RunningAttempt): void {
    if (running.state === 'waiting') this.scheduler.remove(running);
    else if (running.state !== 'reporting') this.scheduler.ended(running);
    running.state = 'reporting';
    this.pump();
  }

  /** Reports the end to the actor until that is committed; a report answered `stale` ends the attempt. */
  private report(running: RunningAttempt, end: AttemptEnd): void {
    const { address, id, attempt, record } = running;
    const last = running.thrown >= FAILURES_MAX - 1;
    this.send(address, { type: 'result', id, attempt, key: record.key, end, last }).then(
      (inputOutcome) => this.end(running, inputOutcome === 'stale' ? 'superseded' : 'reported'),
      (error: unknown) => {
        if (!this.isCurrent(running)) return;
        const { clusterPort, clock, log } = this.parts;
        if (error instanceof AskError && error.failure.code === 'failed' && !error.failure.kindUnknown) {
          running.thrown++;
          log({
            level: 'warn',
            message: 'the actor failed on an activity result',
            address,
            id,
            detail: error.failure.detail,
          });
        } else running.tries++;
        clock.after(backOffMs(running.thrown + running.tries, clusterPort.random), () => {
          if (this.isCurrent(running)) this.report(running, end);
        });
      },
    );
  }

  private send(address: string, systemMessage: SystemMessage): Promise<InputOutcome> {
    return this.parts.clusterPort.send(
      address,
      encodeSystemMessage(systemMessage, null),
      SEND_WITHIN_MS,
    ) as Promise<InputOutcome>;
  }

  private end(running: RunningAttempt, why: string): void {
    if (!this.isCurrent(running)) return;
    this.attempts.delete(keyOf(running.address, running.id));
    running.over = true;
    this.held.lower(shareOf(running.name, running.group));
    running.deadline();
    const wasRunning = running.state === 'running';
    this.release(running);
    if (wasRunning) running.controller.abort(new Error(`the attempt is ${why}`));
    if (this.attempts.size === 0) this.onIdle?.();
  }
}

function waited(suspect: boolean): string {
  return suspect ? 'it waited for its turn among the suspects of its node' : 'it waited for its turn';
}

/** A result too large to send is a permanent failure. */
function endOf(result: Json | undefined): AttemptEnd {
  let chars: number;
  try {
    chars = JSON.stringify(result ?? null).length;
  } catch (error) {
    return badResult(`its result is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (chars <= MESSAGE_CHARS_MAX) return { type: 'done', result: result ?? null };
  return badResult(`its result has ${chars} characters, at most ${MESSAGE_CHARS_MAX}`);
}

function badResult(message: string): AttemptEnd {
  return { type: 'failed', code: 'bad-result', message, retriable: false };
}

/** Truncates the texts: they are sent, and stored in the record. */
function failureOf(error: unknown): AttemptEnd {
  const own = error instanceof ActivityFailed ? error : { code: 'error', retriable: true };
  const message = (error instanceof Error ? error.message : String(error)).slice(0, FAILURE_CHARS_MAX);
  return { type: 'failed', code: own.code.slice(0, FAILURE_CHARS_MAX), message, retriable: own.retriable };
}

function keyOf(address: string, id: string): string {
  return `${address} ${id}`;
}

function shareOf(name: string, group: string): string {
  return `${name} ${group}`;
}
