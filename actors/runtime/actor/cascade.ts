import type { CascadeEnd } from './cascade-end.ts';
import type { Cell, Change } from './cell.ts';
import { deriveRow } from './derive-row.ts';
import type { Effect } from './effect.ts';
import type { ActorEvent, Json } from './event.ts';
import type { RowWrite } from './held-rows.ts';
import { ASIDE, keptInput, mayBeKept } from './kept-input.ts';
import type { Firing, Mail } from './mail.ts';
import type { Numbering } from './numbering.ts';
import { outboxRow } from './outbox-row.ts';
import type { Outcome, TimerWrite } from './outcome.ts';
import { isReserved, LETTER_CHARS_MAX, type Receipt } from './parcel.ts';
import type { Pending, Publish } from './pending.ts';
import { persistAt } from './persist.ts';
import type { RegisteredCollection } from './registered-kind.ts';
import { removeRow } from './remove-row.ts';
import { resolveRows, Unread } from './resolve-rows.ts';
import { setAside } from './set-aside.ts';
import type { Snapshot } from './snapshot.ts';
import { type StepResult, step } from './step.ts';
import { systemCollections } from './system-collections.ts';
import { unpack } from './unpack.ts';
import { cancelledWork, isOpen, openedWork, openWork } from './work.ts';

/** Where a cascade finds the actors its messages go to. */
export interface Neighbours {
  /**
   * The loaded or quarantined cell of an actor of the same shard; 'unloaded' if it must be loaded first; 'elsewhere' if it is of another
   * shard; or why it is out of reach.
   */
  find(address: string, from: Cell): Cell | 'unloaded' | 'elsewhere' | { readonly unreachable: string };
  /** True when work of this name can be performed. */
  performs(name: string): boolean;
  /** True when so much waits to leave this shard that nothing more may be sent from it now. */
  outboxFull(from: Cell): boolean;
}

/** Messages to other shards that one cascade may send. */
const LETTERS_MAX = 256;

interface Sent {
  readonly to: string;
  readonly event: ActorEvent;
}

/**
 * Runs one message and all the messages its steps send within the shard, on drafts beside the cells. It is all or
 * nothing: until `install` no cell has changed, and whatever went wrong, `abandon` leaves everything as it was. One
 * object serves all cascades of an engine, since they never overlap.
 */
export class Cascade implements Outcome {
  changes: Change[] = [];
  rows: RowWrite[] = [];
  timers: TimerWrite[] = [];
  publishes: Publish[] = [];
  replied = false;
  reply: Json = null;
  durable = false;
  /** Newest entry that the outcome depends on; null when all it saw is durable. */
  depends: Pending | null = null;
  /** Why it failed. */
  failure = '';
  /** It failed because this actor, whom a message goes to, is quarantined; null otherwise. */
  quarantined: Cell | null = null;
  /** The actor that lacks, or whose row lacks. */
  lacking = '';
  lackingRow: Unread | null = null;

  errands = false;
  /** What became of a parcel. */
  receipt: Receipt = 'taken';

  private readonly neighbours: Neighbours;
  private readonly stepsMax: number;
  /** The incarnation of this node. */
  readonly self: string;
  readonly numbering: Numbering;
  /** The messages it sends within the shard, in places that the next cascade uses again. */
  private readonly sent: (Sent | null)[] = [];
  /** Who sent each of them. */
  private readonly senders: (Cell | null)[] = [];
  private sentCount = 0;
  private sentNext = 0;
  private letters = 0;
  /** All changing steps so far were of volatile types, and nothing durable was asked for. */
  private volatile = true;
  /** Store time, ms, of what it does. */
  at = 0;
  /** Steps of all cascades, those in vain included. */
  steps = 0;

  constructor(neighbours: Neighbours, stepsMax: number, self: string, numbering: Numbering) {
    this.neighbours = neighbours;
    this.stepsMax = stepsMax;
    this.self = self;
    this.numbering = numbering;
  }

  /** `now` is the store time all its steps are stamped with, unless an actor has seen a later one. */
  run(root: Cell, mail: Mail, now: number): CascadeEnd {
    this.reset(now);
    if (mail.firing !== null) this.consume(root, mail.firing);
    let end = mail.parcel === null ? this.stepRoot(root, mail.event) : this.stepParcel(root, mail);
    // Each step that was sent for is one more; a message that leaves the shard is none.
    const enough = this.steps + this.stepsMax - 1;
    while (end === 'done' && this.sentNext < this.sentCount) {
      if (this.steps >= enough) end = this.fail(`the cascade takes more than ${this.stepsMax} steps`);
      else end = this.stepSent(root, this.sentNext++);
    }
    if (end !== 'done') {
      this.abandon();
      if (mail.parcel !== null || mail.firing !== null) end = this.insteadOf(root, mail, end);
    }
    this.durable = !this.volatile;
    return end;
  }

  /** The new states become the cells' own. `pending` is the entry they wait for, or null for volatile steps. */
  install(pending: Pending | null): void {
    for (const change of this.changes) {
      const { cell } = change;
      cell.draft = null;
      cell.snapshot = change.stopped ? null : change.snapshot;
      cell.stopping = change.stopped;
      cell.version = change.version;
      if (pending !== null) cell.pending = pending;
      cell.trail.add(change.version, change.at, change.event, change.from, change.to);
    }
    if (pending !== null) for (const write of this.rows) write.beside.apply(write, pending);
  }

  /** The input goes with the step it causes. */
  private consume({ address, rows }: Cell, { name, kept }: Firing): void {
    if (kept !== undefined) this.rows.push(removeRow(rows, ASIDE, kept));
    else this.timers.push({ address, name, dueAt: 0, event: null, slot: null });
    this.volatile = false;
  }

  private reset(now: number): void {
    // An entry that waits still holds those of the last outcome, the empty ones too: they are not ours to fill.
    this.changes = [];
    this.rows = [];
    this.timers = [];
    this.publishes = [];
    for (; this.sentCount > 0; this.sentCount--) {
      this.sent[this.sentCount - 1] = null;
      this.senders[this.sentCount - 1] = null;
    }
    this.sentNext = 0;
    this.letters = 0;
    this.errands = false;
    this.receipt = 'taken';
    this.reply = null;
    this.replied = false;
    this.volatile = true;
    this.depends = null;
    this.failure = '';
    this.quarantined = null;
    this.at = now;
  }

  private abandon(): void {
    for (const change of this.changes) change.cell.draft = null;
  }

  private fail(detail: string): CascadeEnd {
    this.failure = detail;
    return 'failed';
  }

  /** A parcel's own rows first, so that they stand in the same entry as the step it causes. */
  private stepParcel(root: Cell, mail: Mail): CascadeEnd {
    if (mail.parcel === null) throw new Error('no parcel');
    const unpacked = unpack(root, mail.parcel, mail.event, this);
    if (unpacked instanceof Unread) {
      this.lacking = root.address;
      this.lackingRow = unpacked;
      return 'lacks-row';
    }
    const { event, rows, receipt, depends } = unpacked;
    this.receipt = receipt;
    if (depends !== null) this.dependOnEntry(depends);
    for (const row of rows) this.writeOwn(row);
    return event === null ? 'done' : this.stepRoot(root, event);
  }

  /** What a failed input that cannot be refused leaves behind instead: it is recorded once, and aside or dropped. */
  private insteadOf(root: Cell, mail: Mail, end: CascadeEnd): CascadeEnd {
    if (this.quarantined !== null) return end;
    const aside = setAside(root, mail, end, {
      at: this.at,
      self: this.self,
      detail: this.failure,
      id: this.numbering.next(root.home),
    });
    if (aside === null) return end;
    const { receipt, rows, timers } = aside;
    this.reset(this.at);
    this.dependOn(root);
    this.receipt = receipt;
    this.timers.push(...timers);
    for (const row of rows) this.writeOwn(row);
    this.volatile = false;
    return 'done';
  }

  /** A row of the runtime itself. */
  private writeOwn(row: RowWrite): void {
    this.rows.push(row);
    this.volatile = false;
    if (row.collection === systemCollections.outbox || row.collection === systemCollections.intents)
      this.errands = true;
  }

  private stepRoot(cell: Cell, event: ActorEvent): CascadeEnd {
    this.dependOn(cell);
    if (cell.snapshot === null) {
      if (!cell.kind.creates.has(event.type)) return 'absent';
      if (cell.stopping) return 'stopping';
    } else if (cell.snapshot.status !== 'active') return 'finished';
    return this.stepCell(cell, cell.snapshot, cell.version, event);
  }

  private stepSent(root: Cell, place: number): CascadeEnd {
    const { to, event } = this.sent[place] as Sent;
    const cell = this.neighbours.find(to, root);
    if (cell === 'elsewhere') return this.post(this.senders[place] as Cell, to, event);
    if (cell === 'unloaded') {
      this.lacking = to;
      return 'lacks-actor';
    }
    if ('unreachable' in cell) return this.fail(cell.unreachable);
    if (cell.phase === 'quarantined') return this.sendAside(cell, event);
    this.dependOn(cell);
    const { draft } = cell;
    const snapshot = draft === null ? cell.snapshot : draft.stopped ? null : draft.snapshot;
    if (snapshot === null) {
      if (!cell.kind.creates.has(event.type)) return this.fail(`${to} is absent and ${event.type} does not create it`);
      if (cell.stopping || draft?.stopped) return this.fail(`${to} is being stopped`);
    } else if (snapshot.status !== 'active') return this.fail(`${to} has ended and takes no ${event.type}`);
    return this.stepCell(cell, snapshot, draft === null ? cell.version : draft.version, event);
  }

  /** A message to another shard: a row of its sender, on its way once that is durable. */
  private post(from: Cell, to: string, event: ActorEvent): CascadeEnd {
    if (++this.letters > LETTERS_MAX) return this.fail(`the cascade sends more than ${LETTERS_MAX} messages away`);
    const chars = JSON.stringify(event).length;
    if (chars > LETTER_CHARS_MAX) return this.fail(`${event.type} to ${to} has ${chars} characters`);
    if (this.neighbours.outboxFull(from)) return 'outbox-full';
    this.writeOwn(outboxRow(from, this.numbering.next(from.home), to, event));
    return 'done';
  }

  /** What cannot be refused waits beside its receiver, so that its sender's step holds; anything else fails whole. */
  private sendAside(cell: Cell, event: ActorEvent): CascadeEnd {
    if (!mayBeKept(cell, event.type)) {
      this.quarantined = cell;
      return this.fail(`${cell.address} is quarantined: ${cell.fault}`);
    }
    const from = (this.senders[this.sentNext - 1] as Cell).address;
    this.rows.push(keptInput(cell, this.numbering.next(cell.home), from, event, this.at));
    this.volatile = false;
    return 'done';
  }

  private dependOn(cell: Cell): void {
    if (cell.pending !== null) this.dependOnEntry(cell.pending);
  }

  private dependOnEntry(pending: Pending): void {
    if (this.depends === null || pending.order > this.depends.order) this.depends = pending;
  }

  private stepCell(cell: Cell, snapshot: Snapshot | null, version: number, event: ActorEvent): CascadeEnd {
    this.steps++;
    if (cell.lastAt > this.at) this.at = cell.lastAt;
    else cell.lastAt = this.at;
    try {
      const rows = resolveRows(cell, event, this.rows);
      if (rows instanceof Unread) {
        this.lacking = cell.address;
        this.lackingRow = rows;
        return 'lacks-row';
      }
      const result = step(cell.kind, snapshot, event, { at: this.at, self: cell.address, rows });
      // A state without a form in the older chart fails its own step now, not its shard's batch later.
      if (cell.kind.level !== cell.kind.version && result.snapshot !== snapshot) persistAt(cell.kind, result.snapshot);
      this.take(cell, snapshot, version, event, result);
      return 'done';
    } catch (error) {
      return this.fail(`${cell.address}, ${event.type}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Files what a step led to. */
  private take(cell: Cell, before: Snapshot | null, version: number, event: ActorEvent, result: StepResult): void {
    let lasting = false;
    let stopped = false;
    const { effects } = result;
    for (let i = 0; i < effects.length; i++) {
      const { type } = effects[i] as Effect;
      if (type === 'reply' || type === 'send' || type === 'publish') continue;
      lasting = true;
      if (type === 'stop') stopped = true;
    }
    const changed = lasting || result.snapshot !== before;
    const next = changed ? version + 1 : version;
    if (changed) {
      const { snapshot, from, to } = result;
      const change = { cell, snapshot, version: next, at: this.at, event: event.type, from, to, stopped };
      cell.draft = change;
      this.changes.push(change);
      if (lasting || !cell.kind.volatile.has(event.type)) this.volatile = false;
    }
    for (let i = 0; i < effects.length; i++) this.collect(cell, effects[i] as Effect, next);
    // Nobody is left who could hear how its work ended.
    if (stopped) for (const id of openWork(cell, this.rows)) this.writeOwn(cancelledWork(cell, id));
  }

  private perform(cell: Cell, effect: Extract<Effect, { readonly type: 'perform' }>): void {
    const id = nameIn(effect.id);
    if (!this.neighbours.performs(effect.name)) throw new Error(`no performer is called ${effect.name}`);
    if (isOpen(cell, id, this.rows)) throw new Error(`work with the id ${id} is open already`);
    const number = this.numbering.next(cell.home);
    const sort = this.numbering.sortAt(this.at);
    this.writeOwn(openedWork(cell, effect, { number, sort, at: this.at, self: this.self }));
  }

  private collect(cell: Cell, effect: Effect, version: number): void {
    const { address } = cell;
    switch (effect.type) {
      case 'reply':
        if (this.replied) throw new Error('a second reply to one ask');
        this.replied = true;
        this.reply = effect.body ?? null;
        return;
      case 'send':
        if (isReserved(effect.event.type)) throw new Error(`${effect.event.type} is the runtime's own event type`);
        this.sent[this.sentCount] = effect;
        this.senders[this.sentCount++] = cell;
        return;
      case 'put':
        this.rows.push(deriveRow(cell.rows, collectionOf(cell, effect.collection), nameIn(effect.id), effect.body));
        return;
      case 'remove':
        this.rows.push(removeRow(cell.rows, collectionOf(cell, effect.collection), nameIn(effect.id)));
        return;
      case 'schedule':
        if (!Number.isFinite(effect.at)) throw new Error(`timer ${effect.name} has no finite time`);
        this.timers.push({ address, name: nameIn(effect.name), dueAt: effect.at, event: effect.event, slot: null });
        return;
      case 'cancel':
        if ('perform' in effect) {
          if (isOpen(cell, effect.perform, this.rows)) this.writeOwn(cancelledWork(cell, effect.perform));
          return;
        }
        this.timers.push({ address, name: nameIn(effect.name), dueAt: 0, event: null, slot: null });
        return;
      case 'perform':
        this.perform(cell, effect);
        return;
      case 'publish':
        this.publishes.push({
          topic: effect.topic,
          key: effect.key,
          value: effect.value,
          address,
          epoch: cell.home.epoch,
          version,
        });
        return;
      case 'stop':
        return;
      default:
        throw new Error(`unknown effect ${JSON.stringify(effect satisfies never)}`);
    }
  }
}

function collectionOf(cell: Cell, name: string): RegisteredCollection {
  const collection = cell.kind.collections.get(name);
  if (collection === undefined) throw new Error(`kind ${cell.kind.name} has no collection ${name}`);
  return collection;
}

function nameIn(id: string): string {
  if (typeof id !== 'string' || id === '') throw new Error('an effect without a name or id');
  return id;
}
