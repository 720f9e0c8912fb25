import { type MessageRefusal, refusedEvent, textOfRefusal } from '../answer.ts';
import type { Snapshot } from '../charts/snapshot.ts';
import { persistAt } from '../charts/snapshot.ts';
import { type StepResult, step } from '../charts/step.ts';
import type { Effect } from '../effect.ts';
import type { ActorEvent } from '../event.ts';
import type { Cell } from './cell.ts';
import { Collected, type Sent } from './collected.ts';
import { deadLetterInstead, deferredInput, mayBeDeferred } from './dead-letter.ts';
import type { Mail } from './mailbox.ts';
import type { CascadeEnd } from './outcome.ts';
import type { PendingCommit } from './pending-commit.ts';
import { receive } from './receive.ts';
import { resolveRows, Unread } from './resolve-rows.ts';
import { outboxRow } from './row-writes.ts';
import type { Sequence } from './sequence.ts';
import { type InputOutcome, MESSAGE_CHARS_MAX, type SystemMessage } from './system-message.ts';

/** Finds the actors that the messages of a cascade go to. */
export interface Neighbours {
  /**
   * The loaded or quarantined cell of an actor of the same shard; 'unloaded' if it must be loaded first; 'elsewhere' if
   * the actor belongs to another shard; otherwise the reason why it is unreachable.
   */
  find(address: string, from: Cell): Cell | 'unloaded' | 'elsewhere' | { readonly unreachable: string };
  /** True when the node has an activity handler of this name. */
  hasHandler(name: string): boolean;
  /** True when the outbox of the shard is at its bound. */
  outboxFull(from: Cell): boolean;
}

/** Messages to other shards that one cascade may send. */
const OUTBOX_MESSAGES_MAX = 256;

/**
 * Runs one message and all the messages its steps send within the shard, on drafts beside the cells. It is atomic: no
 * cell changes before `install`, and after a failure or a refusal `abandon` drops the drafts. One object serves all
 * cascades of an engine, since cascades never overlap.
 */
export class Cascade extends Collected {
  /** Newest entry that the outcome depends on; null when all of its inputs are durable. */
  depends: PendingCommit | null = null;
  /** The cause of a failure. */
  failure = '';
  /** The refusal, after the ends `refused` and `rejected`. */
  refusal: MessageRefusal | null = null;
  /** The quarantined receiver of a message, if the cascade failed because of it. */
  quarantined: Cell | null = null;
  /** After the end `lacking`: the actor to load, or the actor whose row must be read; that row, or null. */
  lacking = '';
  lackingRow: Unread | null = null;
  /** The outcome of a system message. */
  inputOutcome: InputOutcome = 'taken';
  /** Steps of all cascades, including abandoned ones. */
  steps = 0;
  /** Events of all cascades that no transition handled. */
  unhandled = 0;

  private readonly neighbours: Neighbours;
  private readonly stepsMax: number;
  private sentNext = 0;
  private outboxMessages = 0;

  constructor(neighbours: Neighbours, stepsMax: number, self: string, sequence: Sequence) {
    super(self, sequence, (name) => neighbours.hasHandler(name));
    this.neighbours = neighbours;
    this.stepsMax = stepsMax;
  }

  /** `now` is the store time that stamps all steps, unless an actor has already seen a later one. */
  run(root: Cell, mail: Mail, now: number): CascadeEnd {
    this.reset(now);
    const isInput = mail.systemMessage !== null || mail.firing !== null;
    let end = this.attempt(root, mail, null);
    if (end === 'rejected' && isInput) end = this.attemptRefused(root, mail);
    if (end !== 'done') {
      this.abandon();
      if (isInput) end = this.replacementOf(root, mail, end);
    }
    this.durable = !this.volatile;
    return end;
  }

  /** Moves the new states into the cells. `pending` is the entry they wait for, or null for volatile steps. */
  install(pending: PendingCommit | null): void {
    for (const change of this.changes) {
      const { cell } = change;
      cell.draft = null;
      cell.snapshot = change.stopped ? null : change.snapshot;
      cell.stopping = change.stopped;
      cell.version = change.version;
      cell.recorded = change.recorded;
      if (pending !== null) cell.pending = pending;
      cell.transitionLog.add(change.version, change.at, change.event, change.from, change.to);
    }
    if (pending !== null) for (const write of this.rows) write.beside.apply(write, pending);
  }

  private reset(now: number): void {
    this.clear(now);
    this.sentNext = 0;
    this.outboxMessages = 0;
    this.inputOutcome = 'taken';
    this.depends = null;
    this.failure = '';
    this.refusal = null;
    this.quarantined = null;
  }

  private abandon(): void {
    for (const change of this.changes) change.cell.draft = null;
  }

  /** `row`: null if the actor itself is to be loaded. */
  private lacks(address: string, row: Unread | null): CascadeEnd {
    this.lacking = address;
    this.lackingRow = row;
    return 'lacking';
  }

  private fail(detail: string): CascadeEnd {
    this.failure = detail;
    return 'failed';
  }

  /**
   * Steps the root and then, in order, the messages sent. With a `refusal` the root receives `<type>.refused` instead
   * of the input itself.
   */
  private attempt(root: Cell, mail: Mail, refusal: MessageRefusal | null): CascadeEnd {
    const { firing, systemMessage } = mail;
    if (firing !== null) this.consume(root, firing);
    let end =
      systemMessage === null
        ? this.stepRoot(root, mail.event, refusal)
        : this.stepSystemMessage(root, mail, systemMessage, refusal);
    // Each message within the shard costs one more step; a message to another shard costs none.
    const enough = this.steps + this.stepsMax - 1;
    while (end === 'done' && this.sentNext < this.sentCount) {
      if (this.steps >= enough) end = this.fail(`the cascade takes more than ${this.stepsMax} steps`);
      else end = this.stepSent(root, this.sentNext++);
    }
    return end;
  }

  /**
   * Steps an input that cannot be refused once more, as the event that names the refused message, so that the chart can
   * decide. Without a transition for it, or after a second refusal, the input fails with the first cause.
   */
  private attemptRefused(root: Cell, mail: Mail): CascadeEnd {
    const { refusal, failure, depends } = this;
    this.abandon();
    this.reset(this.at);
    this.depends = depends;
    const end = this.attempt(root, mail, refusal);
    if (end !== 'unhandled' && end !== 'refused' && end !== 'rejected' && end !== 'absent') return end;
    this.failure = end === 'absent' ? failure : `${failure}; ${this.failure}`;
    this.refusal = refusal;
    return 'rejected';
  }

  /** Writes the system message's own rows before the step it causes, in the same entry. */
  private stepSystemMessage(
    root: Cell,
    mail: Mail,
    systemMessage: SystemMessage,
    refusal: MessageRefusal | null,
  ): CascadeEnd {
    const received = receive(root, systemMessage, mail.event, this);
    if (received instanceof Unread) return this.lacks(root.address, received);
    const { event, rows, inputOutcome, depends } = received;
    this.inputOutcome = inputOutcome;
    if (depends !== null) this.dependOnEntry(depends);
    for (const row of rows) this.writeOwn(row);
    return event === null ? 'done' : this.stepRoot(root, event, refusal);
  }

  /** Records a failed input that cannot be refused, once, as a dead letter or as dropped. */
  private replacementOf(root: Cell, mail: Mail, end: CascadeEnd): CascadeEnd {
    if (this.quarantined !== null) return end;
    const { failure, depends } = this;
    const replacement = deadLetterInstead(root, mail, end, {
      at: this.at,
      self: this.self,
      detail: failure,
      id: this.sequence.next(root.shard),
    });
    if (replacement === null) return end;
    const { inputOutcome, rows, timers } = replacement;
    this.reset(this.at);
    this.depends = depends;
    this.failure = failure;
    this.inputOutcome = inputOutcome;
    this.timers.push(...timers);
    for (const row of rows) this.writeOwn(row);
    this.volatile = false;
    return 'done';
  }

  private stepRoot(cell: Cell, input: ActorEvent, refusal: MessageRefusal | null): CascadeEnd {
    const event = refusal === null ? input : refusedEvent(input, refusal);
    this.dependOn(cell);
    if (cell.snapshot === null) {
      if (!cell.kind.creates.has(event.type)) return 'absent';
      if (cell.stopping) return 'stopping';
    } else if (cell.snapshot.status !== 'active') return 'finished';
    return this.stepCell(cell, cell.snapshot, cell.version, event, null);
  }

  private stepSent(root: Cell, place: number): CascadeEnd {
    const { to, event } = this.sent[place] as Sent;
    const from = this.senders[place] as Cell;
    const cell = this.neighbours.find(to, root);
    if (cell === 'elsewhere') return this.post(from, to, event);
    if (cell === 'unloaded') return this.lacks(to, null);
    if ('unreachable' in cell) return this.fail(cell.unreachable);
    if (cell.phase === 'quarantined') return this.deferSent(cell, event);
    this.dependOn(cell);
    const { draft } = cell;
    const snapshot = draft === null ? cell.snapshot : draft.stopped ? null : draft.snapshot;
    if (snapshot === null) {
      if (!cell.kind.creates.has(event.type)) return this.fail(`${to} is absent and ${event.type} does not create it`);
      if (cell.stopping || draft?.stopped) return this.fail(`${to} is being stopped`);
    } else if (snapshot.status !== 'active') return this.fail(`${to} has ended and takes no ${event.type}`);
    return this.stepCell(cell, snapshot, draft === null ? cell.version : draft.version, event, from);
  }

  /** Writes a message to another shard as an outbox row of its sender. */
  private post(from: Cell, to: string, event: ActorEvent): CascadeEnd {
    if (++this.outboxMessages > OUTBOX_MESSAGES_MAX)
      return this.fail(`the cascade sends more than ${OUTBOX_MESSAGES_MAX} messages away`);
    const chars = JSON.stringify(event).length;
    if (chars > MESSAGE_CHARS_MAX) return this.fail(`${event.type} to ${to} has ${chars} characters`);
    if (this.neighbours.outboxFull(from)) return 'outbox-full';
    this.writeOwn(outboxRow(from, this.sequence.next(from.shard), to, event));
    return 'done';
  }

  /**
   * Stores an input that cannot be refused beside its quarantined receiver, so that the sender's step succeeds; any
   * other message fails the cascade.
   */
  private deferSent(cell: Cell, event: ActorEvent): CascadeEnd {
    if (!mayBeDeferred(cell, event.type)) {
      this.quarantined = cell;
      return this.fail(`${cell.address} is quarantined: ${cell.fault}`);
    }
    const from = (this.senders[this.sentNext - 1] as Cell).address;
    this.rows.push(deferredInput(cell, this.sequence.next(cell.shard), from, event, this.at));
    this.volatile = false;
    return 'done';
  }

  private dependOn(cell: Cell): void {
    if (cell.pending !== null) this.dependOnEntry(cell.pending);
  }

  private dependOnEntry(pending: PendingCommit): void {
    if (this.depends === null || pending.order > this.depends.order) this.depends = pending;
  }

  /** `from`: the actor whose step sent the event; null for the root. */
  private stepCell(
    cell: Cell,
    snapshot: Snapshot | null,
    version: number,
    event: ActorEvent,
    from: Cell | null,
  ): CascadeEnd {
    this.steps++;
    if (cell.lastAt > this.at) this.at = cell.lastAt;
    else cell.lastAt = this.at;
    try {
      const rows = resolveRows(cell, event, this.rows);
      if (rows instanceof Unread) return this.lacks(cell.address, rows);
      const result = step(cell.kind, snapshot, event, { at: this.at, self: cell.address, rows });
      if (!result.handled) return this.notHandled(cell, event, snapshot === null ? result.to : result.from, from);
      const refused = refusedIn(result, snapshot);
      if (refused !== null) {
        this.refusal = { by: cell.address, event: event.type, body: refused.body ?? null };
        this.failure = textOfRefusal(this.refusal);
        return from === null ? 'refused' : 'rejected';
      }
      // A state that the older chart cannot express fails its own step here instead of the shard's batch later.
      if (cell.kind.level !== cell.kind.version && result.snapshot !== snapshot) persistAt(cell.kind, result.snapshot);
      const change = this.take(cell, snapshot, version, event, result);
      if (change !== null) this.record(change, snapshot, event, { rows, effects: result.effects });
      return 'done';
    } catch (error) {
      return this.fail(`${cell.address}, ${event.type}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private notHandled(cell: Cell, event: ActorEvent, state: string, from: Cell | null): CascadeEnd {
    this.unhandled++;
    this.failure = `${cell.address} does not handle ${event.type} in state ${state}`;
    if (from === null) return 'unhandled';
    this.refusal = { by: cell.address, event: event.type, body: { unhandled: state } };
    return 'rejected';
  }
}

/** The refusal that a step returned, or null. Throws if the step also changes state or returns further effects. */
function refusedIn(
  { effects, snapshot }: StepResult,
  before: Snapshot | null,
): Extract<Effect, { readonly type: 'refuse' }> | null {
  for (let i = 0; i < effects.length; i++) {
    const effect = effects[i] as Effect;
    if (effect.type !== 'refuse') continue;
    if (effects.length > 1 || (before !== null && snapshot !== before)) {
      throw new Error('a step that refuses must not change state or return further effects');
    }
    return effect;
  }
  return null;
}
