import { type Answer, AskError, type AskFailure } from '../../actor/answer.ts';
import { type DeadLetterBody, FAILURES_MAX } from '../../actor/cascade/dead-letter.ts';
import { RowCache, type RowWrite } from '../../actor/cascade/row-cache.ts';
import { removeRow, systemCollections, systemRow } from '../../actor/cascade/row-writes.ts';
import { encodeSystemMessage } from '../../actor/cascade/system-message.ts';
import type { ActorEvent, Json } from '../../actor/event.ts';
import { PooledMap } from '../../collections/pooled-map.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { RowRecord } from '../../ports/store.ts';
import { backOffMs, type ClusterPort } from '../cluster-port.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';
import { Entry } from '../commit/entry.ts';
import type { Shard } from '../shard.ts';

/** Unacknowledged messages of one shard. At the bound, steps that send more are refused for now. */
const OUTBOX_MAX = 4_096;
/** Messages of this node in flight at once. */
const FLYING_MAX = 1_024;
const SEND_WITHIN_MS = 10_000;
/**
 * How long a message waits for an owner whose build has the kind of its receiver: as long as two builds may run side by
 * side during an upgrade. A waiting message delays only its own pair of actors.
 */
export const KIND_WAIT_MS = 3_600_000;
/** Acknowledged rows are removed in batches. Until then a message may be sent again, which receivers deduplicate. */
const REMOVE_AFTER_MS = 20;
const REMOVALS_PER_ENTRY_MAX = 256;
const WRITTEN: Answer = { ok: true, body: null };

interface OutboxMessage {
  readonly from: string;
  readonly to: string;
  readonly event: ActorEvent;
  readonly number: string;
  /** `thrown`: how often its receiver threw. `tries`: how often it was not delivered. */
  thrown: number;
  tries: number;
}

/** The messages from one actor to one other: sent in order, one in flight. */
interface Pair {
  readonly outbox: ShardOutbox;
  readonly messages: OutboxMessage[];
  state: 'idle' | 'ready' | 'flying' | 'waiting';
  /** Monotonic ms since which the node that serves the receiver's shard does not have its kind; null otherwise. */
  unknownSince: number | null;
}

/** The outbox of one shard. */
interface ShardOutbox {
  readonly shard: Shard;
  readonly pairs: PooledMap<Pair>;
  /** Messages in `pairs`. */
  size: number;
  removals: OutboxMessage[];
  /** The rows of the previous owner are being read. Newer messages wait for them, to keep the order. */
  reading: boolean;
  paused: boolean;
}

/** Dependencies of `Outbox`. */
interface OutboxParts {
  readonly clusterPort: ClusterPort;
  readonly queue: CommitQueue;
  readonly clock: Clock;
  /** Store time, ms. */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Delivers messages to actors of other shards. Their rows are durable before they get here. Messages are sent in order,
 * one in flight per pair of actors, and repeated until the receiver has committed them or stored them as dead letters.
 * A message that the receiver can neither process nor store becomes a dead letter of its sender. The next owner of the
 * shard continues the delivery.
 */
export class Outbox {
  /** Messages that this node stored as dead letters of their senders. */
  deadLetters = 0;

  private readonly parts: OutboxParts;
  private readonly byShard = new Map<Shard, ShardOutbox>();
  private ready: Pair[] = [];
  private flying = 0;
  private removing = false;

  constructor(parts: OutboxParts) {
    this.parts = parts;
  }

  open(shard: Shard): void {
    const outbox: ShardOutbox = { shard, pairs: new PooledMap(), size: 0, removals: [], reading: true, paused: false };
    this.byShard.set(shard, outbox);
  }

  isFull(shard: Shard): boolean {
    return (this.byShard.get(shard)?.size ?? 0) >= OUTBOX_MAX;
  }

  /** Takes over the rows of the previous owner, oldest first. They are older than all messages written here since. */
  fill(shard: Shard, records: readonly RowRecord[]): void {
    const outbox = this.byShard.get(shard);
    if (outbox === undefined || !outbox.reading) return;
    const younger = outbox.pairs.values().flatMap((pair) => pair.messages.splice(0));
    outbox.size = 0;
    const known = new Set<string>();
    for (const { address, id, body } of records) {
      const { to, event } = JSON.parse(body) as { to: string; event: ActorEvent };
      known.add(`${address} ${id}`);
      this.add(outbox, { from: address, to, event, number: id, thrown: 0, tries: 0 });
    }
    for (const message of younger) if (!known.has(`${message.from} ${message.number}`)) this.add(outbox, message);
    outbox.reading = false;
    for (const pair of outbox.pairs.values()) this.enqueue(pair);
    this.pump();
  }

  /** Called when the entry that holds this message is durable. */
  durable(shard: Shard, { beside, id, body, removed }: RowWrite): void {
    const outbox = this.byShard.get(shard);
    if (outbox === undefined || removed) return;
    const { to, event } = body as unknown as { to: string; event: ActorEvent };
    const pair = this.add(outbox, { from: beside.address, to, event, number: id, thrown: 0, tries: 0 });
    this.enqueue(pair);
    this.pump();
  }

  /** Sends no more messages of this shard, and removes the acknowledged rows at once. */
  pause(shard: Shard): void {
    const outbox = this.byShard.get(shard);
    if (outbox === undefined) return;
    outbox.paused = true;
    this.remove(outbox);
  }

  drop(shard: Shard): void {
    this.byShard.delete(shard);
  }

  /** The undelivered messages of an actor, for an operator. */
  waitingOf(shard: Shard, from: string): readonly { to: string; number: string; event: string; tries: number }[] {
    const messages = (this.byShard.get(shard)?.pairs.values() ?? []).flatMap((pair) => pair.messages);
    return messages
      .filter((message) => message.from === from)
      .map(({ to, number, event, tries, thrown }) => ({ to, number, event: event.type, tries: tries + thrown }));
  }

  private add(outbox: ShardOutbox, message: OutboxMessage): Pair {
    const key = `${message.from} ${message.to}`;
    let pair = outbox.pairs.get(key);
    if (pair === undefined) {
      pair = { outbox, messages: [], state: 'idle', unknownSince: null };
      outbox.pairs.set(key, pair);
    }
    pair.messages.push(message);
    outbox.size++;
    return pair;
  }

  private enqueue(pair: Pair): void {
    if (pair.state !== 'idle' || pair.messages.length === 0 || pair.outbox.reading) return;
    pair.state = 'ready';
    this.ready.push(pair);
  }

  private pump(): void {
    while (this.flying < FLYING_MAX && this.ready.length > 0) {
      const pair = this.ready.shift() as Pair;
      if (this.isLive(pair.outbox)) this.send(pair);
    }
  }

  private isLive(outbox: ShardOutbox): boolean {
    return this.byShard.get(outbox.shard) === outbox && !outbox.paused;
  }

  private send(pair: Pair): void {
    const message = pair.messages[0] as OutboxMessage;
    const { from, to, number, event } = message;
    pair.state = 'flying';
    this.flying++;
    const envelope = { type: 'message', from, number, last: message.thrown >= FAILURES_MAX - 1 } as const;
    this.parts.clusterPort.send(to, encodeSystemMessage(envelope, event), SEND_WITHIN_MS).then(
      () => this.landed(pair, () => this.acknowledged(pair, message)),
      (error: unknown) => this.landed(pair, () => this.failed(pair, message, error)),
    );
  }

  private landed(pair: Pair, react: () => void): void {
    this.flying--;
    if (this.byShard.get(pair.outbox.shard) === pair.outbox) react();
    this.pump();
  }

  private acknowledged(pair: Pair, message: OutboxMessage): void {
    const { outbox } = pair;
    pair.unknownSince = null;
    outbox.removals.push(message);
    if (outbox.paused) this.remove(outbox);
    else this.armRemoval();
    this.over(pair, message);
  }

  /** Removes a finished message, so that the next of its pair can be sent. */
  private over(pair: Pair, { from, to }: OutboxMessage): void {
    const { outbox } = pair;
    pair.messages.shift();
    outbox.size--;
    pair.state = 'idle';
    if (pair.messages.length === 0) outbox.pairs.delete(`${from} ${to}`);
    else this.enqueue(pair);
  }

  private failed(pair: Pair, message: OutboxMessage, error: unknown): void {
    const failure = error instanceof AskError ? error.failure : null;
    const threw = failure?.code === 'failed' && !failure.kindUnknown;
    if (threw) message.thrown++;
    else message.tries++;
    if (failure !== null && isOfKnownKind(failure)) pair.unknownSince = null;
    if (failure?.code === 'failed' && !pair.outbox.paused && this.isDead(pair, message, threw)) {
      this.deadLetter(pair, message, failure.detail);
    } else this.retryLater(pair, message);
  }

  /** True if the receiver failed the last try and stored no dead letter, or its kind was unknown for too long. */
  private isDead(pair: Pair, { thrown }: OutboxMessage, threw: boolean): boolean {
    if (threw) return thrown >= FAILURES_MAX;
    const now = this.parts.clock.monotonic();
    pair.unknownSince ??= now;
    return now - pair.unknownSince >= KIND_WAIT_MS;
  }

  /** Moves the message from its sender's outbox to its sender's dead letters. */
  private deadLetter(pair: Pair, message: OutboxMessage, failure: string): void {
    const { shard } = pair.outbox;
    this.push(shard, deadLetterRows(shard, message, failure, this.parts.now()), (answer) => {
      if (this.byShard.get(shard) !== pair.outbox) return;
      if (!answer.ok) return this.retryLater(pair, message);
      this.deadLetters++;
      const text = 'a message became a dead letter of its sender: see it with inspect, then retry or skip it';
      this.parts.log({
        level: 'error',
        message: text,
        address: message.from,
        to: message.to,
        event: message.event.type,
        detail: failure,
      });
      this.over(pair, message);
      this.pump();
    });
  }

  private retryLater(pair: Pair, message: OutboxMessage): void {
    pair.state = 'waiting';
    const { clock, clusterPort } = this.parts;
    clock.after(backOffMs(message.thrown + message.tries, clusterPort.random), () => {
      pair.state = 'idle';
      this.enqueue(pair);
      this.pump();
    });
  }

  private armRemoval(): void {
    if (this.removing) return;
    this.removing = true;
    this.parts.clock.after(REMOVE_AFTER_MS, () => {
      this.removing = false;
      for (const outbox of this.byShard.values()) this.remove(outbox);
    });
  }

  private remove(outbox: ShardOutbox): void {
    if (outbox.shard.serving === 'gone') return;
    const messages = outbox.removals;
    outbox.removals = [];
    for (let i = 0; i < messages.length; i += REMOVALS_PER_ENTRY_MAX) {
      this.write(outbox, messages.slice(i, i + REMOVALS_PER_ENTRY_MAX));
    }
  }

  private write(outbox: ShardOutbox, messages: readonly OutboxMessage[]): void {
    const rows = messages.map(({ from, number }) => removeRow(new RowCache(from), systemCollections.outbox, number));
    this.push(outbox.shard, rows, (answer) => {
      if (answer.ok || this.byShard.get(outbox.shard) !== outbox) return;
      outbox.removals.push(...messages);
      this.armRemoval();
    });
  }

  /** Queues an entry that writes only these rows. */
  private push(shard: Shard, rows: readonly RowWrite[], answer: (answer: Answer) => void): void {
    const { queue } = this.parts;
    const outcome = { changes: [], rows, timers: [], publishes: [], trims: [], outgoing: false };
    const entry = new Entry(queue.nextOrder(), shard, outcome, answer, WRITTEN);
    for (const row of rows) row.beside.apply(row, entry);
    queue.push(entry);
  }
}

/** True if the owner that failed the message has the kind of its receiver; a message not answered says nothing. */
function isOfKnownKind(failure: AskFailure): boolean {
  const { code } = failure;
  return code === 'refused' || code === 'quarantined' || (code === 'failed' && !failure.kindUnknown);
}

/** The rows that remove a message from the outbox and store it as a dead letter of its sender. */
function deadLetterRows(
  shard: Shard,
  { from, to, event, number, thrown, tries }: OutboxMessage,
  failure: string,
  at: number,
): readonly RowWrite[] {
  const beside = new RowCache(from);
  const times = thrown + tries;
  const body: DeadLetterBody = { source: 'outbox', from, to, event, failure: `to ${to}: ${failure}`, times, at };
  const place = { beside, shard: shard.id, open: false, sort: at };
  return [
    removeRow(beside, systemCollections.outbox, number),
    systemRow(place, systemCollections.deadLetters, number, body as Json),
  ];
}
