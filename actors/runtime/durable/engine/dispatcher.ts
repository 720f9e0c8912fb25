import type { Answer } from '../../actor/answer.ts';
import { Cascade } from '../../actor/cascade.ts';
import type { Cell } from '../../actor/cell.ts';
import { FAILURES_MAX } from '../../actor/dead-letter.ts';
import type { ActorEvent } from '../../actor/event.ts';
import { type Firing, type LaneName, type Mail, ownMail } from '../../actor/mail.ts';
import { Sequence } from '../../actor/sequence.ts';
import type { SystemMessage } from '../../actor/system-message.ts';
import { Entry } from '../commit/entry.ts';
import { orphansAmong } from '../outgoing/orphans.ts';
import { deferredAskEntry, isDeferredAsk } from '../quarantine/deferred-ask.ts';
import { Fetcher } from '../residency/fetcher.ts';
import type { DispatcherParts } from './dispatcher-parts.ts';
import { ABSENT, declined, EXPIRED, FINISHED, failed, quarantined, refused, UNHANDLED } from './failures.ts';
import { RunQueue } from './run-queue.ts';
import type { Shard } from './shard.ts';

/** Steps of one turn, before the event loop runs other callbacks. */
const STEPS_PER_TURN_MAX = 2_048;
const LANE_FULL_RETRY_MS = 250;
const NOTICE_RETRY_MS = 1_000;
const NOTHING = Object.freeze({ changes: [], rows: [], publishes: [], outgoing: false });

/**
 * Serves runnable cells in turn, one message at a time: steps the message and its cascade, and queues the result as one
 * entry. It never waits: a message that lacks an actor or row is parked with its actor and stepped again after loading.
 */
export class Dispatcher {
  /** Steps taken, including failed ones. */
  get steps(): number {
    return this.cascade.steps;
  }

  /** Events without a transition in their actor's chart. */
  get unhandled(): number {
    return this.cascade.unhandled;
  }

  /** Inputs that became dead letters here. */
  deadLetters = 0;

  private readonly parts: DispatcherParts;
  private readonly cascade: Cascade;
  private readonly sequence = new Sequence();
  private readonly fetcher: Fetcher;
  private readonly runnable: RunQueue;
  private running = false;
  private resuming = false;

  constructor(parts: DispatcherParts) {
    this.parts = parts;
    this.cascade = new Cascade(parts.registry, parts.limits.cascadeStepsMax, parts.self, this.sequence);
    this.runnable = new RunQueue(parts.queue);
    this.fetcher = new Fetcher(parts.loader, this);
  }

  /** The cell of an address of this shard. Starts loading it if it is not in memory. */
  cellOf(address: string, shard: Shard): Cell {
    const { registry, loader } = this.parts;
    const known = registry.cells.get(address);
    if (known !== undefined) return known;
    const cell = registry.open(address, shard);
    this.parts.opened();
    this.load(cell);
    loader.load(cell);
    return cell;
  }

  /** Loads a rewound cell again. */
  reload(cell: Cell): void {
    this.load(cell);
    this.parts.loader.load(cell);
  }

  /** Queues a message; false when its lane is full. */
  offer(cell: Cell, shard: Shard, lane: LaneName, mail: Mail): boolean {
    if (!cell.mailbox.offer(lane, mail, this.parts.limits)) return false;
    shard.mails++;
    if (cell.phase !== 'loading' && cell.awaiting === 0) this.wake(cell);
    return true;
  }

  /** Queues a message of the engine itself in the system lane, or a deferred input; false when its lane is full. */
  enqueue(
    shard: Shard,
    address: string,
    event: ActorEvent,
    firing: Firing | null = null,
    answer: Mail['answer'] = null,
  ): boolean {
    const lane = firing?.deferred === undefined ? 'system' : 'deferred';
    return this.offer(
      this.cellOf(address, shard),
      shard,
      lane,
      ownMail(event, { answer, firing, systemMessage: null }),
    );
  }

  /** Queues a system message about an actor's activity; false when the lane is full. */
  bring(shard: Shard, address: string, systemMessage: SystemMessage, answer: NonNullable<Mail['answer']>): boolean {
    const mail = ownMail({ type: systemMessage.type }, { answer, firing: null, systemMessage });
    return this.offer(this.cellOf(address, shard), shard, 'finish', mail);
  }

  /**
   * Delivers a notice of the runtime. Retries while the store refuses the load or the commit, and while the step
   * throws, until the notice is a dead letter. Retries end with the shard: its next owner issues its own notices.
   */
  notifyUntilTaken(address: string, event: ActorEvent, failures = 0): void {
    const { registry, clock } = this.parts;
    const again = (delayMs: number, times: number): void => {
      clock.after(delayMs, () => this.notifyUntilTaken(address, event, times));
    };
    const answered = (answer: Answer): void => {
      if (answer.ok) return;
      const { code } = answer.failure;
      if (code === 'refused') again(NOTICE_RETRY_MS, failures);
      else if (code === 'failed') again(NOTICE_RETRY_MS * (failures + 1), failures + 1);
    };
    const shard = registry.shardOf(address);
    if (shard === undefined) return;
    const systemMessage = { type: 'notice', last: failures >= FAILURES_MAX - 1 } as const;
    const mail = ownMail(event, { answer: answered, firing: null, systemMessage });
    if (!this.offer(this.cellOf(address, shard), shard, 'system', mail)) again(LANE_FULL_RETRY_MS, failures);
  }

  /** Queues the cell to be served in its turn. */
  wake(cell: Cell): void {
    if (!cell.queued) {
      cell.queued = true;
      this.runnable.add(cell);
    }
    if (!this.running) this.run();
  }

  /** Runs `work`, then serves the cells that it woke. */
  after(work: () => void): void {
    const outer = this.running;
    this.running = true;
    try {
      work();
    } finally {
      this.running = outer;
      if (!outer) this.run();
    }
  }

  /** Serves until no cell is runnable, the turn's step limit is reached, or the commit queue is full. */
  run(): void {
    if (this.running) return;
    this.running = true;
    const stop = this.cascade.steps + STEPS_PER_TURN_MAX;
    const { runnable } = this;
    runnable.ease();
    let more = false;
    try {
      while (this.cascade.steps < stop) {
        const cell = runnable.take();
        if (cell === null) break;
        cell.queued = false;
        this.serve(cell);
      }
    } finally {
      more = runnable.waits;
      this.running = false;
    }
    this.parts.eased();
    // Cells of a full line are served after its batch was judged.
    if (more) this.resume();
  }

  /** Ends a message: releases the actors and rows fetched for it. */
  finish(shard: Shard, mail: Mail): void {
    shard.mails--;
    if (mail.fetched !== null) for (const release of mail.fetched.release) release();
  }

  /** Answers every message that waits for a cell, stepped or not, and empties its mailbox. */
  turnAway(cell: Cell, answer: Answer): void {
    const shard = cell.shard as Shard;
    for (;;) {
      const mail = cell.parked ?? cell.mailbox.take();
      cell.parked = null;
      if (mail === null) return;
      this.finish(shard, mail);
      mail.firing?.postponed();
      this.parts.outputGate.answer(mail.answer, answer);
    }
  }

  /** Removes an unused cell. */
  tidy(cell: Cell): void {
    if (cell.vacant) this.parts.registry.remove(cell);
  }

  private resume(): void {
    if (this.resuming) return;
    this.resuming = true;
    this.parts.clock.after(0, () => {
      this.resuming = false;
      this.run();
    });
  }

  private load(cell: Cell): void {
    cell.onLoaded.push((failure) => {
      if (failure === null) {
        if (cell.phase === 'ready') this.parts.replay.start(cell);
        this.wake(cell);
      } else {
        this.parts.registry.remove(cell);
        this.turnAway(cell, failure);
        this.parts.eased();
      }
    });
  }

  private serve(cell: Cell): void {
    const shard = this.parts.registry.shardOfCell(cell);
    if (shard === null || cell.phase === 'loading' || cell.awaiting > 0) return;
    const mail = cell.parked ?? cell.mailbox.take();
    if (mail !== null) {
      cell.parked = null;
      this.parts.registry.order.touch(cell);
      if (!this.refuses(cell, shard, mail)) this.stepMail(cell, shard, mail);
    }
    if (cell.awaiting > 0) return;
    if (cell.mailbox.size > 0) this.wake(cell);
    else this.tidy(cell);
  }

  /** Ends messages that need no step. */
  private refuses(cell: Cell, shard: Shard, mail: Mail): boolean {
    let answer: Answer | null = null;
    if (mail.fetched !== null && mail.fetched.failure !== null) answer = mail.fetched.failure;
    else if (mail.deadline !== Number.POSITIVE_INFINITY && this.parts.clock.monotonic() >= mail.deadline) {
      answer = EXPIRED;
    } else if (cell.phase === 'quarantined') {
      if (isDeferredAsk(cell, mail)) {
        this.deferAsk(cell, shard, mail);
        return true;
      }
      answer = quarantined(cell.address, cell.fault);
    }
    const void_ = mail.firing !== null && !mail.firing.current();
    if (answer === null && !void_) return false;
    this.finish(shard, mail);
    if (answer !== null) {
      mail.firing?.postponed();
      this.parts.outputGate.answer(mail.answer, answer);
    }
    return true;
  }

  /** Stores an ask as a deferred ask of its actor; the caller is answered once the row is durable. */
  private deferAsk(cell: Cell, shard: Shard, mail: Mail): void {
    const { queue, now } = this.parts;
    queue.push(deferredAskEntry(cell, mail, { id: this.sequence.next(shard), order: queue.nextOrder(), at: now() }));
    this.finish(shard, mail);
  }

  private stepMail(cell: Cell, shard: Shard, mail: Mail): void {
    const { cascade } = this;
    const end = cascade.run(cell, mail, this.parts.now());
    switch (end) {
      case 'done':
        this.conclude(cell, shard, mail);
        return;
      case 'lacking':
        if (!this.fetcher.fetch(cell, mail, cascade.lacking, cascade.lackingRow)) this.giveUp(shard, mail);
        return;
      case 'stopping':
        // The entry that ends the actor wakes the cell when it is durable.
        cell.parked = mail;
        cell.awaiting = 1;
        return;
      case 'absent':
        this.decline(shard, mail, ABSENT);
        return;
      case 'finished':
        this.decline(shard, mail, FINISHED);
        return;
      case 'failed':
      case 'unhandled':
      case 'refused':
      case 'rejected':
        this.fail(cell, shard, mail, end);
        return;
      case 'outbox-full':
        this.postpone(shard, mail, refused(`the outbox of shard ${shard.id} is full`));
        return;
      default:
        end satisfies never;
    }
  }

  /** Keeps an absent actor's cell while its rows are in flight, because later messages must see these rows. */
  private keep(cell: Cell, entry: Entry): void {
    cell.pins++;
    const release = (): void => {
      cell.pins--;
      this.tidy(cell);
    };
    entry.attach({ answer: release, reply: UNHANDLED, publishes: NOTHING.publishes });
  }

  private logDeadLetter(cell: Cell, mail: Mail): void {
    this.deadLetters++;
    const message = 'an input became a dead letter: see it with inspect, then retry or skip it';
    const from = mail.systemMessage?.type === 'message' ? mail.systemMessage.from : null;
    const [event, detail] = [mail.event.type, this.cascade.failure];
    this.parts.host.log({ level: 'error', message, address: cell.address, event, from, detail });
  }

  private conclude(cell: Cell, shard: Shard, mail: Mail): void {
    const { cascade } = this;
    const { queue, outputGate, timers, host, watchers } = this.parts;
    const reply: Answer =
      mail.systemMessage !== null
        ? { ok: true, body: cascade.inputOutcome }
        : cascade.replied
          ? { ok: true, body: cascade.reply }
          : UNHANDLED;
    if (!cascade.durable) {
      cascade.install(null);
      watchers.showVolatile(cascade.changes);
      this.finish(shard, mail);
      if (mail.answer === null && cascade.publishes.length === 0) return;
      outputGate.pass({ answer: mail.answer, reply, publishes: cascade.publishes }, cascade.depends);
      return;
    }
    const entry = new Entry(queue.nextOrder(), shard, cascade, mail.answer, reply);
    const orphans = cascade.rows.length === 0 ? [] : orphansAmong(cascade.rows, (node) => host.isGone(node));
    cascade.install(entry);
    for (const write of entry.timers) timers.apply(shard, write, entry);
    for (const change of entry.changes) if (change.stopped) timers.stopped(shard, change.cell.address, entry);
    if (mail.systemMessage !== null && cell.snapshot === null) this.keep(cell, entry);
    queue.push(entry);
    if (cascade.inputOutcome === 'aside') this.logDeadLetter(cell, mail);
    // Unpin only after the entry is queued: this cascade may have created an actor that the message pinned.
    this.finish(shard, mail);
    for (const [address, event] of orphans) this.notifyUntilTaken(address, event);
  }

  /** The actor is absent or finished. A timer of such an actor is removed. */
  private decline(shard: Shard, mail: Mail, answer: Answer): void {
    this.finish(shard, mail);
    const { queue, outputGate, timers } = this.parts;
    if (mail.firing?.deferred !== undefined) {
      mail.firing.failed(`its actor is ${answer === ABSENT ? 'absent' : 'finished'}`);
      return;
    }
    if (mail.firing === null) {
      if (mail.answer !== null) {
        outputGate.pass({ answer: mail.answer, reply: answer, publishes: NOTHING.publishes }, this.cascade.depends);
      }
      return;
    }
    const entry = new Entry(queue.nextOrder(), shard, { ...NOTHING, timers: this.cascade.timers }, null, answer);
    for (const write of entry.timers) timers.apply(shard, write, entry);
    queue.push(entry);
  }

  /** Fails a message after too many fetches. */
  private giveUp(shard: Shard, mail: Mail): void {
    const detail = 'the rows or actors that the step needs change faster than they are fetched';
    this.finish(shard, mail);
    mail.firing?.failed(detail);
    this.parts.outputGate.answer(mail.answer, refused(detail));
  }

  /** The message can be stepped later: the failure is not its own. */
  private postpone(shard: Shard, mail: Mail, answer: Answer): void {
    this.finish(shard, mail);
    mail.firing?.postponed();
    this.parts.outputGate.answer(mail.answer, answer);
  }

  /** The step did not happen. Answers the caller or operator; logs the failure of a message without a caller. */
  private fail(cell: Cell, shard: Shard, mail: Mail, end: 'failed' | 'unhandled' | 'refused' | 'rejected'): void {
    const { failure: detail, quarantined: other, refusal, depends } = this.cascade;
    const { answer, firing, systemMessage } = mail;
    this.finish(shard, mail);
    if (other === null) firing?.failed(detail);
    else firing?.postponed();
    if (systemMessage?.type === 'message' || systemMessage?.type === 'notice' || (answer === null && firing === null)) {
      const [{ address }, { trace, event }] = [cell, mail];
      this.parts.host.log({ level: 'warn', message: 'a step failed', address, event: event.type, detail, trace });
    }
    let reply = failed(detail);
    if (other !== null) reply = quarantined(other.address, other.fault);
    else if (end !== 'failed' && systemMessage === null) reply = declined(end, detail, refusal);
    this.parts.outputGate.pass({ answer, reply, publishes: NOTHING.publishes }, depends);
  }
}
