import type { Answer } from '../../actor/answer.ts';
import type { Cascade } from '../../actor/cascade/cascade.ts';
import type { Cell } from '../../actor/cascade/cell.ts';
import { deferredInput } from '../../actor/cascade/dead-letter.ts';
import type { Mail } from '../../actor/cascade/mailbox.ts';
import type { CascadeEnd } from '../../actor/cascade/outcome.ts';
import type { RowWrite } from '../../actor/cascade/row-cache.ts';
import type { Sequence } from '../../actor/cascade/sequence.ts';
import type { ActorEvent } from '../../actor/event.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import { Entry } from '../commit/entry.ts';
import type { OutputGate } from '../commit/output-gate.ts';
import type { EngineHost } from '../engine.ts';
import { ABSENT, declined, deferredFor, FINISHED, failed, quarantined, refused, UNHANDLED } from '../failures.ts';
import type { CellRegistry } from '../residency/cell-registry.ts';
import type { Shard } from '../shard.ts';
import type { Timers } from '../timers/timers.ts';

const NOTHING = Object.freeze({ changes: [], rows: [], timers: [], publishes: [], trims: [], outgoing: false });

/** A notice that an actor must receive because of a row it opened. */
interface Orphan {
  readonly address: string;
  readonly event: ActorEvent;
}

const NO_ORPHANS: readonly Orphan[] = Object.freeze([]);

/** The ends of a cascade that end its message. */
type FinalEnd = Exclude<CascadeEnd, 'lacking' | 'stopping'>;

/** The dependencies of a conclusion. */
export interface ConclusionParts {
  readonly cascade: Cascade;
  readonly sequence: Sequence;
  readonly registry: CellRegistry;
  readonly queue: CommitQueue;
  readonly outputGate: OutputGate;
  readonly timers: Timers;
  readonly host: EngineHost;
  readonly now: () => number;
}

/**
 * Ends messages: the outcome of a cascade becomes one entry of the commit queue, or an output that waits for the
 * entries it depends on; every other end becomes an answer, a retry or a log line. It steps nothing.
 */
export class Conclusion {
  /** Inputs that became dead letters. */
  deadLetters = 0;

  private readonly parts: ConclusionParts;

  constructor(parts: ConclusionParts) {
    this.parts = parts;
  }

  /** Ends the message of the cascade that has just run. Returns the notices that its rows call for. */
  conclude(cell: Cell, shard: Shard, mail: Mail, end: FinalEnd): readonly Orphan[] {
    switch (end) {
      case 'done':
        return this.done(cell, shard, mail);
      case 'absent':
        this.decline(shard, mail, ABSENT);
        break;
      case 'finished':
        this.decline(shard, mail, FINISHED);
        break;
      case 'failed':
      case 'unhandled':
      case 'refused':
      case 'rejected':
        this.fail(cell, shard, mail, end);
        break;
      case 'outbox-full':
        this.postpone(shard, mail, refused(`the outbox of shard ${shard.id} is full`));
        break;
      default:
        end satisfies never;
    }
    return NO_ORPHANS;
  }

  /** The message is not stepped now, for a reason outside it: a timer or deferred input is delivered again later. */
  postpone(shard: Shard, mail: Mail, answer: Answer): void {
    finish(shard, mail);
    mail.firing?.postponed();
    this.parts.outputGate.answer(mail.answer, answer);
  }

  /** Fails a message after too many fetches. */
  giveUp(shard: Shard, mail: Mail): void {
    const detail = 'the rows or actors that the step needs change faster than they are fetched';
    finish(shard, mail);
    mail.firing?.failed(detail);
    this.parts.outputGate.answer(mail.answer, refused(detail));
  }

  /** Stores an ask as a deferred input of its quarantined actor; the caller is answered once the row is durable. */
  deferAsk(cell: Cell, shard: Shard, mail: Mail): void {
    const { queue, sequence, now } = this.parts;
    const row = deferredInput(cell, sequence.next(shard), null, mail.event, now());
    const reply = deferredFor(cell.address, cell.fault);
    const entry = new Entry(queue.nextOrder(), shard, { ...NOTHING, rows: [row] }, mail.answer, reply);
    cell.rows.apply(row, entry);
    queue.push(entry);
    finish(shard, mail);
  }

  private done(cell: Cell, shard: Shard, mail: Mail): readonly Orphan[] {
    const { cascade, queue, timers, host } = this.parts;
    const reply = this.replyTo(mail);
    if (!cascade.durable) {
      this.volatile(shard, mail, reply);
      return NO_ORPHANS;
    }
    const entry = new Entry(queue.nextOrder(), shard, cascade, mail.answer, reply);
    const orphans = orphansAmong(cascade.rows, host);
    cascade.install(entry);
    for (const write of entry.timers) timers.apply(shard, write, entry);
    for (const change of entry.changes) if (change.stopped) timers.stopped(shard, change.cell.address, entry);
    if (mail.systemMessage !== null && cell.snapshot === null) this.keep(cell, entry);
    queue.push(entry);
    if (cascade.inputOutcome === 'dead-letter') this.logDeadLetter(cell, mail);
    // Unpin only after the entry is queued: this cascade may have created an actor that the message pinned.
    finish(shard, mail);
    return orphans;
  }

  private replyTo({ systemMessage }: Mail): Answer {
    const { cascade } = this.parts;
    if (systemMessage !== null) return { ok: true, body: cascade.inputOutcome };
    return cascade.replied ? { ok: true, body: cascade.reply } : UNHANDLED;
  }

  /** Steps without a commit of their own: the state changes at once, the outputs wait for what they depend on. */
  private volatile(shard: Shard, mail: Mail, reply: Answer): void {
    const { cascade, outputGate } = this.parts;
    const { publishes } = cascade;
    cascade.install(null);
    outputGate.showVolatile(cascade.changes);
    finish(shard, mail);
    if (mail.answer === null && publishes.length === 0) return;
    outputGate.pass({ answer: mail.answer, reply, publishes }, cascade.depends);
  }

  /** Keeps an absent actor's cell while its rows are in flight, because later messages must see these rows. */
  private keep(cell: Cell, entry: Entry): void {
    cell.pins++;
    const release = (): void => {
      cell.pins--;
      this.parts.registry.tidy(cell);
    };
    entry.attach({ answer: release, reply: UNHANDLED, publishes: NOTHING.publishes });
  }

  private logDeadLetter(cell: Cell, mail: Mail): void {
    this.deadLetters++;
    const message = 'an input became a dead letter: see it with inspect, then retry or skip it';
    const from = mail.systemMessage?.type === 'message' ? mail.systemMessage.from : null;
    const detail = this.parts.cascade.failure;
    this.parts.host.log({ level: 'error', message, address: cell.address, event: mail.event.type, from, detail });
  }

  /** The actor is absent or finished. A timer of such an actor is removed. */
  private decline(shard: Shard, mail: Mail, answer: Answer): void {
    finish(shard, mail);
    const { cascade, queue, outputGate, timers } = this.parts;
    if (mail.firing?.deferred !== undefined) {
      mail.firing.failed(`its actor is ${answer === ABSENT ? 'absent' : 'finished'}`);
      return;
    }
    if (mail.firing === null) {
      if (mail.answer === null) return;
      outputGate.pass({ answer: mail.answer, reply: answer, publishes: NOTHING.publishes }, cascade.depends);
      return;
    }
    const entry = new Entry(queue.nextOrder(), shard, { ...NOTHING, timers: cascade.timers }, null, answer);
    for (const write of entry.timers) timers.apply(shard, write, entry);
    queue.push(entry);
  }

  /** The step did not happen. Answers the caller or operator; logs the failure of a message without a caller. */
  private fail(cell: Cell, shard: Shard, mail: Mail, end: 'failed' | 'unhandled' | 'refused' | 'rejected'): void {
    const { cascade, outputGate, host } = this.parts;
    const { failure: detail, quarantined: other, refusal, depends } = cascade;
    const { answer, firing, systemMessage, event, trace } = mail;
    finish(shard, mail);
    if (other === null) firing?.failed(detail);
    else firing?.postponed();
    if (systemMessage?.type === 'message' || systemMessage?.type === 'notice' || (answer === null && firing === null)) {
      const { address } = cell;
      host.log({ level: 'warn', message: 'a step failed', address, event: event.type, detail, trace });
    }
    let reply = failed(detail);
    if (other !== null) reply = quarantined(other.address, other.fault);
    else if (end !== 'failed' && systemMessage === null) reply = declined(end, detail, refusal);
    outputGate.pass({ answer, reply, publishes: NOTHING.publishes }, depends);
  }
}

/** Counts a message as ended, and releases the actors and rows fetched for it. */
export function finish(shard: Shard, { fetched }: Mail): void {
  shard.mails--;
  if (fetched !== null) for (const release of fetched.release) release();
}

/**
 * Finds rows that are being opened on behalf of a node that is already dead, and the event that each of their actors
 * must receive: the death was announced earlier and is not announced again. Call it before the writes are applied.
 */
function orphansAmong(rows: readonly RowWrite[], host: EngineHost): readonly Orphan[] {
  let orphans: Orphan[] | null = null;
  for (const { open, collection, index, beside, id } of rows) {
    const { leaseRows } = collection;
    if (!open || leaseRows === null) continue;
    const incarnation = index[leaseRows.column];
    if (typeof incarnation !== 'string' || !host.isGone(incarnation)) continue;
    const before = beside.find(collection.name, id)?.latest;
    if (before?.open && before.index[leaseRows.column] === incarnation) continue;
    orphans ??= [];
    orphans.push({ address: beside.address, event: { type: leaseRows.event, incarnation } });
  }
  return orphans ?? NO_ORPHANS;
}
