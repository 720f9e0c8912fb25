import type { ActivityRecord, AttemptEnd } from '../../actor/activity-record.ts';
import { AskError } from '../../actor/answer.ts';
import { FAILURES_MAX } from '../../actor/dead-letter.ts';
import type { Json } from '../../actor/event.ts';
import {
  encodeSystemMessage,
  type InputOutcome,
  MESSAGE_CHARS_MAX,
  type SystemMessage,
} from '../../actor/system-message.ts';
import { PooledMap } from '../../collections/pooled-map.ts';
import { ActivityFailed } from '../../ports/activity.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { EngineHost } from '../engine/engine.ts';
import { backOffMs } from './back-off.ts';
import type { ActivityAttempt, ClusterPort } from './cluster-port.ts';

/** Attempts of this node that run at once; others wait for their turn. */
const RUNNING_MAX = 1_024;
/** Attempts that run, wait or tell how they ended. One beyond it is not begun now: its owner tries again with each look. */
export const ATTEMPTS_MAX = 16_384;
const SEND_WITHIN_MS = 10_000;
/** A suspect whose actor does not load asks again after this, and lets others run meanwhile. */
const QUARANTINED_MS = 60_000;

interface RunningAttempt extends ActivityAttempt {
  readonly record: ActivityRecord;
  readonly controller: AbortController;
  /** `waiting` for its time or turn, `asking` to go alone, `running`, `telling` how it ended. */
  state: 'waiting' | 'asking' | 'running' | 'telling';
  deadline: Cancel;
  /** How often the actor threw on the result, and how often it was not reached. */
  thrown: number;
  tries: number;
}

/** What performing works with. */
export interface ActivityRunnerParts {
  readonly clusterPort: ClusterPort;
  readonly clock: Clock;
  /** Store time, ms. */
  readonly now: () => number;
  readonly log: EngineHost['log'];
}

/**
 * The attempts this node runs, wherever their actors live by now: begins them when their time and turn have come, bounds
 * them by their deadline, and tells the actor's owner how each ended until that is committed. A suspect runs with nothing
 * else beside it, and what comes after it waits.
 */
export class ActivityRunner {
  private readonly parts: ActivityRunnerParts;
  private readonly attempts = new PooledMap<RunningAttempt>();
  private queue: RunningAttempt[] = [];
  private running = 0;
  /** A suspect runs, or is about to. */
  private alone: RunningAttempt | null = null;
  private readonly onIdle: (() => void)[] = [];
  private over = false;

  constructor(parts: ActivityRunnerParts) {
    this.parts = parts;
  }

  get size(): number {
    return this.attempts.size;
  }

  has({ address, id, attempt }: ActivityAttempt): boolean {
    return this.attempts.get(keyOf(address, id))?.attempt === attempt;
  }

  /** Begins an attempt whose intent is durable, if there is room for it; an older one of the same intent is aborted. */
  start(address: string, id: string, record: ActivityRecord): void {
    const { attempt } = record;
    if (this.over || this.has({ address, id, attempt })) return;
    this.abort({ address, id, attempt: attempt - 1 });
    if (this.attempts.size >= ATTEMPTS_MAX) return;
    const { clock, now, clusterPort } = this.parts;
    const controller = new AbortController();
    const fresh = { deadline: () => {}, thrown: 0, tries: 0 };
    const running: RunningAttempt = { address, id, attempt, record, controller, state: 'waiting', ...fresh };
    this.attempts.set(keyOf(address, id), running);
    const leftMs = Math.max(0, record.deadlineAt - now());
    running.deadline = clock.after(leftMs, () => this.late(running));
    const waitMs = record.startAt - now();
    if (waitMs <= 0) this.enqueue(running);
    else clock.after(Math.ceil(waitMs * (1 + clusterPort.random.fraction() / 4)), () => this.enqueue(running));
  }

  /** Ends an attempt, or an older one of the same intent, without a word to its actor. */
  abort({ address, id, attempt }: ActivityAttempt): void {
    const running = this.attempts.get(keyOf(address, id));
    if (running !== undefined && running.attempt <= attempt) this.end(running, 'superseded');
  }

  /** This node is dead, or leaves for good: nothing it does counts any more. */
  abortAll(why: string): void {
    this.over = true;
    for (const running of this.attempts.values()) this.end(running, why);
  }

  /** Resolves when nothing is left to run or to tell, or the time is up. */
  async idle(withinMs: number): Promise<void> {
    if (this.attempts.size === 0) return;
    await new Promise<void>((resolve) => {
      const late = this.parts.clock.after(withinMs, resolve);
      this.onIdle.push(() => {
        late();
        resolve();
      });
    });
  }

  private enqueue(running: RunningAttempt): void {
    if (!this.isCurrent(running) || running.state !== 'waiting') return;
    this.queue.push(running);
    this.pump();
  }

  private isCurrent(running: RunningAttempt): boolean {
    return this.attempts.get(keyOf(running.address, running.id)) === running;
  }

  private pump(): void {
    while (this.alone === null) {
      const next = this.queue[0];
      if (next === undefined || this.running >= (next.record.suspect ? 1 : RUNNING_MAX)) return;
      this.queue.shift();
      if (!this.isCurrent(next) || next.state !== 'waiting') continue;
      if (next.record.suspect) this.goAlone(next);
      else this.run(next);
    }
  }

  /** Recorded before it begins: only a death from then on counts against it. */
  private goAlone(running: RunningAttempt): void {
    this.alone = running;
    running.state = 'asking';
    const { id, attempt } = running;
    this.say(running, { type: 'alone', id, attempt }, () => {
      if (running.state === 'asking') this.run(running);
    });
  }

  /** Nothing was recorded, and nothing will be for long: it must not hold up the node. */
  private stepBack(running: RunningAttempt): void {
    running.state = 'waiting';
    this.release(running);
    this.parts.clock.after(QUARANTINED_MS, () => this.enqueue(running));
  }

  private run(running: RunningAttempt): void {
    const { address, id, attempt, record, controller } = running;
    const { name, input, key, deadlineAt } = record;
    const handler = this.parts.clusterPort.activities[name];
    running.state = 'running';
    this.running++;
    const job = { address, id, name, input, key, attempt, deadlineAt };
    Promise.resolve()
      .then((): Promise<Json> => {
        // Ended by a later step of the very commit that began it: the store never showed it, so nobody is called.
        if (controller.signal.aborted) throw controller.signal.reason;
        if (handler === undefined) throw new ActivityFailed('no-performer', `no performer is called ${name}`, false);
        return handler.run(job, controller.signal);
      })
      .then(
        (result) => this.finished(running, endOf(result)),
        (error: unknown) => this.finished(running, failureOf(error)),
      );
  }

  private late(running: RunningAttempt): void {
    if (running.state === 'telling' || !this.isCurrent(running)) return;
    const message = `it did not end by ${new Date(running.record.deadlineAt).toISOString()}`;
    this.finished(running, { type: 'failed', code: 'deadline', message, retriable: false });
    running.controller.abort(new Error('the deadline is over'));
  }

  private finished(running: RunningAttempt, end: AttemptEnd): void {
    if (!this.isCurrent(running) || running.state === 'telling') return;
    this.release(running);
    running.state = 'telling';
    running.deadline();
    this.tell(running, end);
  }

  /** It runs no more: others may. */
  private release(running: RunningAttempt): void {
    if (running.state === 'running') this.running--;
    if (this.alone === running) this.alone = null;
    this.pump();
  }

  private tell(running: RunningAttempt, end: AttemptEnd): void {
    const { id, attempt } = running;
    const last = running.thrown >= FAILURES_MAX - 1;
    this.say(
      running,
      { type: 'result', id, attempt, end, last },
      () => this.end(running, 'told'),
      () => this.tell(running, end),
    );
  }

  /** Says something to the actor until it is committed; what is stale by then ends the attempt. */
  private say(running: RunningAttempt, systemMessage: SystemMessage, done: () => void, again?: () => void): void {
    const { clusterPort, clock, log } = this.parts;
    clusterPort.send(running.address, encodeSystemMessage(systemMessage, null), SEND_WITHIN_MS).then(
      (receipt) => {
        if (!this.isCurrent(running)) return;
        if ((receipt as InputOutcome) === 'stale') this.end(running, 'superseded');
        else done();
      },
      (error: unknown) => {
        if (!this.isCurrent(running)) return;
        if (running.state === 'asking' && error instanceof AskError && error.failure.code === 'quarantined') {
          this.stepBack(running);
          return;
        }
        if (error instanceof AskError && error.failure.code === 'failed') {
          running.thrown++;
          const { address, id } = running;
          log({ level: 'warn', message: 'a result was not taken', address, id, detail: error.failure.detail });
        } else running.tries++;
        const retry = again ?? (() => this.say(running, systemMessage, done));
        clock.after(backOffMs(running.thrown + running.tries, clusterPort.random), () => {
          if (this.isCurrent(running)) retry();
        });
      },
    );
  }

  private end(running: RunningAttempt, why: string): void {
    if (!this.isCurrent(running)) return;
    this.attempts.delete(keyOf(running.address, running.id));
    running.deadline();
    const wasRunning = running.state === 'running';
    if (running.state !== 'telling') this.release(running);
    running.state = 'telling';
    if (wasRunning) running.controller.abort(new Error(`the attempt is ${why}`));
    if (this.attempts.size === 0) for (const idle of this.onIdle.splice(0)) idle();
  }
}

/** A result that could never travel is a failure, and the same again the next time. */
function endOf(result: Json | undefined): AttemptEnd {
  let chars: number;
  try {
    chars = JSON.stringify(result ?? null).length;
  } catch (error) {
    const message = `its result is no JSON: ${error instanceof Error ? error.message : String(error)}`;
    return { type: 'failed', code: 'bad-result', message, retriable: false };
  }
  if (chars <= MESSAGE_CHARS_MAX) return { type: 'done', result: result ?? null };
  const message = `its result has ${chars} characters, at most ${MESSAGE_CHARS_MAX}`;
  return { type: 'failed', code: 'bad-result', message, retriable: false };
}

function failureOf(error: unknown): AttemptEnd {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ActivityFailed)) return { type: 'failed', code: 'error', message, retriable: true };
  return { type: 'failed', code: error.code, message, retriable: error.retriable };
}

function keyOf(address: string, id: string): string {
  return `${address} ${id}`;
}
