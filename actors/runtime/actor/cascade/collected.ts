import type { RegisteredCollection } from '../charts/register.ts';
import type { Snapshot } from '../charts/snapshot.ts';
import type { StepResult } from '../charts/step.ts';
import type { Effect } from '../effect.ts';
import type { ActorEvent, Json } from '../event.ts';
import { cancelledActivity, isOpen, openActivities, openedActivity } from './activity-rows.ts';
import type { Cell, Change } from './cell.ts';
import type { Firing } from './mailbox.ts';
import type { Outcome, TimerWrite, Trim } from './outcome.ts';
import type { Publish } from './pending-commit.ts';
import { isRecorded, type Read, recordOf } from './recorder.ts';
import type { RowWrite } from './row-cache.ts';
import { deriveRow, removeRow, systemCollections } from './row-writes.ts';
import type { Sequence } from './sequence.ts';
import { isReserved } from './system-message.ts';

const NO_TRIMS: readonly Trim[] = Object.freeze([]);

/** A message that a step sent, to any shard. */
export interface Sent {
  readonly to: string;
  readonly event: ActorEvent;
}

/**
 * Collects and checks the effects of the steps of one cascade, in order. Nothing is executed: changes are drafts beside
 * the cells, rows and timers are lists.
 */
export class Collected implements Outcome {
  changes: Change[] = [];
  rows: RowWrite[] = [];
  timers: TimerWrite[] = [];
  publishes: Publish[] = [];
  trims: readonly Trim[] = NO_TRIMS;
  replied = false;
  reply: Json = null;
  durable = false;
  outgoing = false;
  /** Store time of the cascade, ms. */
  at = 0;
  /** The incarnation of this node. */
  readonly self: string;
  readonly sequence: Sequence;

  /** True when the node has an activity handler of this name. */
  private readonly hasHandler: (name: string) => boolean;
  /** The messages sent, in slots that the next cascade reuses. */
  protected readonly sent: (Sent | null)[] = [];
  /** The sender of each message in `sent`. */
  protected readonly senders: (Cell | null)[] = [];
  protected sentCount = 0;
  /** True while all changing steps were of volatile types and no durable effect was returned. */
  protected volatile = true;

  constructor(self: string, sequence: Sequence, hasHandler: (name: string) => boolean) {
    this.self = self;
    this.sequence = sequence;
    this.hasHandler = hasHandler;
  }

  protected clear(at: number): void {
    // A waiting entry still holds the lists of the last outcome, also the empty ones, so they must not be reused.
    this.changes = [];
    this.rows = [];
    this.timers = [];
    this.publishes = [];
    this.trims = NO_TRIMS;
    for (; this.sentCount > 0; this.sentCount--) {
      this.sent[this.sentCount - 1] = null;
      this.senders[this.sentCount - 1] = null;
    }
    this.outgoing = false;
    this.reply = null;
    this.replied = false;
    this.volatile = true;
    this.at = at;
  }

  /** Removes the row or timer of the input in the entry of the step it causes. */
  protected consume({ address, rows }: Cell, { name, deferred }: Firing): void {
    if (deferred !== undefined) this.rows.push(removeRow(rows, systemCollections.deadLetters, deferred));
    else this.timers.push({ address, name, dueAt: 0, event: null, slot: null });
    this.volatile = false;
  }

  /** Adds a row of the runtime itself. */
  protected writeOwn(row: RowWrite): void {
    this.rows.push(row);
    this.volatile = false;
    if (row.collection === systemCollections.outbox || row.collection === systemCollections.activities)
      this.outgoing = true;
  }

  /** Adds the result of a step, and returns its change; null if it changed nothing. */
  protected take(
    cell: Cell,
    before: Snapshot | null,
    version: number,
    event: ActorEvent,
    result: StepResult,
  ): Change | null {
    let change: Change | null = null;
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
      const recorded = cell.draft === null ? cell.recorded : cell.draft.recorded;
      change = { cell, snapshot, version: next, at: this.at, event: event.type, from, to, stopped, recorded };
      cell.draft = change;
      this.changes.push(change);
      if (lasting || !cell.kind.volatile.has(event.type)) this.volatile = false;
    }
    for (let i = 0; i < effects.length; i++) this.collect(cell, effects[i] as Effect, next);
    // A stopped actor receives no results, so its activities are cancelled.
    if (stopped) for (const id of openActivities(cell, this.rows)) this.writeOwn(cancelledActivity(cell, id));
    return change;
  }

  /** Records a step that changed its actor, if its kind or a request says so. An actor that ends keeps no record. */
  protected record(change: Change, before: Snapshot | null, event: ActorEvent, read: Read): void {
    if (!isRecorded(change, event)) return;
    const { rows, trim } = recordOf(change, before, event, read);
    for (const row of rows) this.writeOwn(row);
    if (trim !== null) this.trims = [...this.trims, trim];
  }

  private perform(cell: Cell, effect: Extract<Effect, { readonly type: 'perform' }>): void {
    const id = nameIn(effect.id);
    if (!cell.kind.activities.has(effect.name)) {
      throw new Error(`kind ${cell.kind.name} does not declare the activity ${effect.name}`);
    }
    if (!this.hasHandler(effect.name)) throw new Error(`no activity handler is called ${effect.name}`);
    if (isOpen(cell, id, this.rows)) throw new Error(`an activity with the id ${id} is already open`);
    const number = this.sequence.next(cell.shard);
    const sort = this.sequence.sortAt(this.at);
    this.writeOwn(openedActivity(cell, effect, { number, sort, at: this.at, self: this.self }));
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
          if (isOpen(cell, effect.perform, this.rows)) this.writeOwn(cancelledActivity(cell, effect.perform));
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
          epoch: cell.shard.epoch,
          version,
        });
        return;
      case 'stop':
        return;
      case 'refuse':
        throw new Error('a refusal is never collected: its step changes nothing');
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
