import { shardOf } from '../actor/address.ts';
import type { Answer, AskFailure } from '../actor/answer.ts';
import type { ActorEvent, Json } from '../actor/event.ts';
import { Slab } from '../collections/slab.ts';
import type { Engine } from '../durable/engine.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { NodeLimits } from '../ports/limits.ts';
import { type Log, textOf } from '../ports/log.ts';
import { type Envelope, EnvelopeTooLarge, type Link } from '../ports/transport.ts';
import type { AskOptions } from './cluster.ts';
import type { PeerOrigin } from './peers.ts';
import { AskWindow, PendingAsk } from './pending-ask.ts';
import type { ShardMap } from './shards/shard-map.ts';

/** Interval at which deadlines and parked messages are checked: messages have no timers of their own. */
const TICK_MS = 25;
const BUSY_RETRY_MS = 50;
const TELL_WITHIN_MS = 5_000;
/** Bound on this node's open asks over all links and its own engine, in multiples of one link's window. */
const OPEN_WINDOWS_MAX = 4;

/** A repeat that fails with one of these codes does not say whether the first sending was stepped. */
const INCONCLUSIVE: ReadonlySet<AskFailure['code']> = new Set(['busy', 'refused', 'failed', 'rejected', 'quarantined']);

interface RouterParts {
  readonly self: string;
  readonly engine: Engine;
  readonly map: ShardMap;
  readonly clock: Clock;
  readonly limits: NodeLimits;
  readonly log: Log;
}

/**
 * Routes a message to the owner of its shard, on this node or another, and the answer back. A message that has
 * certainly not been stepped waits for the next owner until its deadline; one that may have been stepped is answered
 * `lost` or `expired`. A message that may have arrived is sent again only if its sender supplied `AskOptions.repeat`.
 */
export class Router {
  readonly #parts: RouterParts;
  readonly #open = new Slab<PendingAsk>();
  readonly #parked = new Map<number, Set<PendingAsk>>();
  readonly #windows = new Map<string, AskWindow>();
  #parkedCount = 0;
  #tick: Cancel | null = null;
  #closed = false;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  ask(to: string, event: ActorEvent, { withinMs, trace, repeat }: AskOptions): Promise<Json> {
    return new Promise((resolve, reject) => {
      const { clock, map, limits } = this.#parts;
      const deadline = clock.monotonic() + withinMs;
      const message = new PendingAsk(
        { to, event, shard: shardOf(to, map.count), deadline, trace, repeat },
        resolve,
        reject,
      );
      if (this.#closed) return message.fail({ code: 'refused', detail: 'this node has left the cluster' });
      if (this.#open.size >= limits.asksInFlightMax * OPEN_WINDOWS_MAX) {
        return message.fail({ code: 'busy', retryAfterMs: BUSY_RETRY_MS });
      }
      message.slot = this.#open.add(message);
      if (this.#tick === null) this.#schedule();
      this.#route(message);
    });
  }

  tell(to: string, event: ActorEvent): void {
    if (this.#closed) return;
    const { clock, map } = this.#parts;
    const deadline = clock.monotonic() + TELL_WITHIN_MS;
    this.#route(new PendingAsk({ to, event, shard: shardOf(to, map.count), deadline, trace: undefined }, null, null));
  }

  /** Routes the parked messages of a shard whose owner changed. */
  wake(shard: number): void {
    const waiting = this.#parked.get(shard);
    if (!waiting) return;
    this.#parked.delete(shard);
    this.#parkedCount -= waiting.size;
    for (const message of waiting) {
      message.parked = false;
      this.#route(message);
    }
  }

  linkUp(incarnation: string, link: Link): void {
    this.#windows.set(incarnation, new AskWindow(incarnation, link, this.#parts.limits.asksInFlightMax));
    this.#wakeAll();
  }

  linkDown(incarnation: string, unsent: readonly Envelope[]): void {
    const window = this.#windows.get(incarnation);
    if (!window) return;
    this.#windows.delete(incarnation);
    const { never, mayHaveRun } = window.end(unsent);
    for (const message of mayHaveRun) this.#lost(message);
    for (const message of never) {
      message.window = null;
      this.#route(message);
    }
  }

  /**
   * Delivers a peer's asks and tells to the engine. A message for a shard that is not here is answered `moved`, never
   * forwarded.
   */
  receive({ link }: PeerOrigin, batch: readonly Envelope[]): void {
    const { clock, engine } = this.#parts;
    const now = clock.monotonic();
    for (const envelope of batch) {
      const { to, id } = envelope;
      if (envelope.remainingMs <= 0) continue;
      const event = parse(envelope.body);
      if (!isEvent(event)) {
        this.#reply(link, id, to, { ok: false, failure: { code: 'failed', detail: 'the body is not an event' } });
        continue;
      }
      const delivery = { to, event, deadline: now + envelope.remainingMs, trace: envelope.trace || undefined };
      engine.deliver(delivery, envelope.kind === 'ask' ? (answer) => this.#reply(link, id, to, answer) : null);
    }
  }

  /** Settles asks with the answers that a peer returned over this node's own link. */
  answered(incarnation: string, batch: readonly Envelope[]): void {
    const window = this.#windows.get(incarnation);
    if (!window) return;
    for (const envelope of batch) {
      const message = window.take(envelope.id);
      if (!message?.open) continue;
      message.window = null;
      if (envelope.kind === 'reply') this.#resolve(message, parse(envelope.body) as Json);
      else this.#failed(message, (parse(envelope.body) as AskFailure | undefined) ?? { code: 'lost' });
    }
  }

  /** Fails every open ask. Parked ones were not stepped; the others may have been. */
  close(): void {
    this.#closed = true;
    this.#tick?.();
    this.#tick = null;
    for (const message of this.#open.all())
      this.#fail(message, message.parked ? this.#moved(message) : { code: 'lost' });
    this.#parked.clear();
    this.#parkedCount = 0;
  }

  #route(message: PendingAsk): void {
    if (!message.open) return;
    const { engine, map, self } = this.#parts;
    const { shard } = message;
    if (engine.epochOf(shard) !== null) {
      message.sentEpoch = map.epochOf(shard);
      engine.deliver(message, message.isTell ? null : (answer) => this.#answeredHere(message, answer));
      return;
    }
    const owner = map.ownerOf(shard);
    const window = owner === null || owner === self ? undefined : this.#windows.get(owner);
    if (window) this.#send(message, window);
    else this.#park(message);
  }

  #send(message: PendingAsk, window: AskWindow): void {
    const { clock, map } = this.#parts;
    const remainingMs = Math.ceil(message.deadline - clock.monotonic());
    if (remainingMs <= 0) {
      this.#fail(message, this.#moved(message));
      return;
    }
    message.sentEpoch = map.epochOf(message.shard);
    try {
      const outcome = window.send(message, JSON.stringify(message.event), remainingMs);
      if (outcome === 'full') this.#fail(message, { code: 'busy', retryAfterMs: BUSY_RETRY_MS });
      else if (outcome === 'closed') this.#park(message);
    } catch (error) {
      if (!(error instanceof EnvelopeTooLarge)) throw error;
      this.#fail(message, { code: 'refused', detail: error.message });
    }
  }

  #answeredHere(message: PendingAsk, answer: Answer): void {
    if (!message.open) return;
    if (answer.ok) this.#resolve(message, answer.body);
    else this.#failed(message, answer.failure);
  }

  #failed(message: PendingAsk, failure: AskFailure): void {
    if (failure.code === 'lost') {
      this.#lost(message);
      return;
    }
    if (failure.code !== 'moved') {
      this.#fail(message, failure);
      return;
    }
    const { map } = this.#parts;
    if (failure.owner !== null) map.learn({ shard: message.shard, owner: failure.owner, epoch: failure.epoch });
    if (map.epochOf(message.shard) > message.sentEpoch) this.#route(message);
    else this.#park(message);
  }

  /** An ask that may have been stepped: repeat it if its sender allows that, else answer `lost`. */
  #lost(message: PendingAsk): void {
    if (message.open && message.again()) this.#park(message);
    else this.#fail(message, { code: 'lost' });
  }

  /** Parks a message until its shard's owner changes, a link opens, or the next tick. */
  #park(message: PendingAsk): void {
    if (this.#parkedCount >= this.#parts.limits.asksInFlightMax) {
      this.#fail(message, { code: 'busy', retryAfterMs: BUSY_RETRY_MS });
      return;
    }
    const waiting = this.#parked.get(message.shard) ?? new Set();
    this.#parked.set(message.shard, waiting.add(message));
    message.parked = true;
    this.#parkedCount += 1;
    if (this.#tick === null) this.#schedule();
  }

  #wakeAll(): void {
    for (const shard of [...this.#parked.keys()]) this.wake(shard);
  }

  #schedule(): void {
    this.#tick = this.#parts.clock.after(TICK_MS, () => {
      if (this.#closed) return;
      this.#expire();
      this.#wakeAll();
      // Clear the timer only after waking: a message that parks again must not start a second tick.
      this.#tick = null;
      if (this.#open.size > 0 || this.#parkedCount > 0) this.#schedule();
    });
  }

  #expire(): void {
    const now = this.#parts.clock.monotonic();
    for (const message of this.#open.all()) {
      if (message.deadline > now) continue;
      this.#fail(message, message.parked ? this.#moved(message) : { code: 'expired' });
    }
    for (const [shard, waiting] of this.#parked) {
      for (const message of waiting) {
        if (message.open && message.deadline > now) continue;
        waiting.delete(message);
        this.#parkedCount -= 1;
      }
      if (waiting.size === 0) this.#parked.delete(shard);
    }
  }

  /** The failure of a message whose last sending was not stepped. */
  #moved({ shard, mayHaveRun }: PendingAsk): AskFailure {
    if (mayHaveRun) return { code: 'expired' };
    const { map } = this.#parts;
    return { code: 'moved', owner: map.ownerOf(shard), epoch: map.epochOf(shard) };
  }

  #resolve(message: PendingAsk, body: Json): void {
    this.#open.take(message.slot);
    message.resolve(body);
  }

  #fail(message: PendingAsk, failure: AskFailure): void {
    if (!message.open) return;
    if (message.slot >= 0) this.#open.take(message.slot);
    message.window?.take(message.id);
    message.fail(message.mayHaveRun && isInconclusive(failure) ? { code: 'lost' } : failure);
  }

  #reply(link: Link, id: number, to: string, answer: Answer): void {
    try {
      if (answer.ok) {
        link.send({ kind: 'reply', id, to: '', body: JSON.stringify(answer.body ?? null), remainingMs: 0, trace: '' });
        return;
      }
      const { map } = this.#parts;
      const shard = shardOf(to, map.count);
      const failure: AskFailure =
        answer.failure.code === 'moved'
          ? { code: 'moved', owner: map.ownerOf(shard), epoch: map.epochOf(shard) }
          : answer.failure;
      link.send({ kind: 'failure', id, to: '', body: JSON.stringify(failure), remainingMs: 0, trace: '' });
    } catch (error) {
      this.#parts.log({ level: 'error', message: 'answer not sent', address: to, why: textOf(error) });
      const body = JSON.stringify({ code: 'lost' } satisfies AskFailure);
      link.send({ kind: 'failure', id, to: '', body, remainingMs: 0, trace: '' });
    }
  }
}

/** A deferred ask is conclusive: it will be stepped whether or not the first sending was. */
function isInconclusive(failure: AskFailure): boolean {
  return INCONCLUSIVE.has(failure.code) && !('deferred' in failure);
}

/** A peer's build may differ: what is no event is answered as a failure. */
function isEvent(value: unknown): value is ActorEvent {
  return typeof value === 'object' && value !== null && typeof (value as ActorEvent).type === 'string';
}

/** Undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
