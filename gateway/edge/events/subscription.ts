import { showKey } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import type { Cancel } from '../../../actors/runtime/index.ts';
import { UNAUTHENTICATED } from '../../../actors/terms/refusal.ts';
import type { GatewayError } from '../../terms/gateway-error.ts';
import { refusalError } from '../../terms/gateway-error.ts';
import { type AccountFeed, eventOf, type FeedServices, OVERLAP_MS } from './account-feed.ts';
import { changesSince } from './changes-since.ts';
import { isCovered } from './cursor.ts';
import { type EventFilter, passes } from './event-filter.ts';
import type { FeedEvent } from './feed-event.ts';

/** What a client's connection does with its events. */
export interface EventSink {
  /** True while the stream is a request under way, as server-sent events are. */
  readonly holdsRequest: boolean;
  /** Called with events in order. */
  receive(events: readonly FeedEvent[]): void;
  /** The feed ends: the key is no longer valid, or the node stops. Called once at most. */
  end(error: GatewayError): void;
}

interface SubscriptionParts {
  readonly services: FeedServices;
  readonly feed: AccountFeed;
  /** Account id, and the address of the key. */
  readonly account: string;
  readonly key: string;
  readonly filter: EventFilter;
  readonly sink: EventSink;
  readonly closed: () => void;
}

/** The store time of the change that was sent of each object, by id. */
type Replayed = ReadonlyMap<string, number>;

const NONE: Replayed = new Map();
const LONGEST_TIMER_MS = 24 * 60 * 60_000;

/**
 * One client of a feed. It receives the events that its filter passes and, of keys, those of its own key alone. It ends
 * as soon as its key is disabled, revoked or expired, or its account is suspended.
 */
export class Subscription {
  filter: EventFilter;
  readonly #parts: SubscriptionParts;
  readonly #stop: () => void;
  /** Events that arrived while stored changes are read; null once they are delivered directly. */
  #waiting: FeedEvent[] | null = [];
  #ended = false;
  #cancelExpiry: Cancel = () => {};

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
    this.filter = parts.filter;
    this.#stop = parts.feed.listen((events) => this.#deliver(events));
  }

  /**
   * Sends what changed since the cursor (store time; null: nothing), then what follows. False: more changed than is
   * kept, or too long ago, and the client has to read everything anew. An object that changed at about the cursor's
   * time may be sent again. Rejects with 401 if the key is no longer valid.
   */
  async start(cursorAt: number | null): Promise<boolean> {
    const { services, key } = this.#parts;
    // Asked after the feed was joined, so that a revocation is either in this answer or in the feed.
    const view = await showKey(services.cluster, key, services.askMs);
    if (view.status !== 'active') throw refusalError(UNAUTHENTICATED, services.cluster.now());
    this.#watchExpiry(view);
    return this.resume(cursorAt);
  }

  /** Sends what changed since the cursor, as `start` does, then what arrived meanwhile. One call at a time. */
  async resume(cursorAt: number | null): Promise<boolean> {
    this.#waiting ??= [];
    const replayed = cursorAt === null ? NONE : await this.#replay(cursorAt);
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#send(replayed === null ? waiting : waiting.filter((event) => !isOlder(event, replayed)));
    return replayed !== null;
  }

  /** The client left. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stop();
    this.#cancelExpiry();
    this.#parts.closed();
  }

  /** Ends the subscription from this side. */
  end(error: GatewayError): void {
    if (this.#ended) return;
    this.close();
    this.#parts.sink.end(error);
  }

  /** The newest change that was sent of each object, by id; null if the cursor is too old. */
  async #replay(cursorAt: number): Promise<Replayed | null> {
    const { services, account } = this.#parts;
    const { cluster } = services;
    if (!isCovered(cursorAt, cluster.now())) return null;
    const { changes, complete } = await changesSince(cluster, account, cursorAt - OVERLAP_MS);
    if (!complete) return null;
    this.#send(changes.map(eventOf));
    return new Map(changes.map(({ id, at }) => [id, at]));
  }

  #deliver(events: readonly FeedEvent[]): void {
    if (this.#waiting !== null) this.#waiting.push(...events);
    else this.#send(events);
  }

  #send(events: readonly FeedEvent[]): void {
    if (this.#ended) return;
    const mine = events.filter((event) => this.#isMine(event) && passes(this.filter, event));
    if (mine.length > 0) this.#parts.sink.receive(mine);
    if (events.some((event) => this.#endsAccess(event))) this.#refuse();
  }

  #isMine(event: FeedEvent): boolean {
    return event.type !== 'key.updated' || (event.change.object as unknown as KeyView).key === this.#parts.key;
  }

  #endsAccess(event: FeedEvent): boolean {
    if (event.type === 'balance.updated') return event.view.status === 'suspended';
    if (event.type !== 'key.updated' || !this.#isMine(event)) return false;
    return (event.change.object as unknown as KeyView).status !== 'active';
  }

  #refuse(): void {
    this.end(refusalError(UNAUTHENTICATED, this.#parts.services.cluster.now()));
  }

  /** In steps: a key may expire later than a timer can wait. */
  #watchExpiry(view: KeyView): void {
    const { clock, cluster } = this.#parts.services;
    if (view.expiresAt === null || this.#ended) return;
    const leftMs = view.expiresAt - cluster.now();
    if (leftMs <= 0) this.#refuse();
    else this.#cancelExpiry = clock.after(Math.min(leftMs, LONGEST_TIMER_MS), () => this.#watchExpiry(view));
  }
}

/** True for a change that was read before the replay read a newer one of its object. */
function isOlder(event: FeedEvent, replayed: Replayed): boolean {
  return event.type !== 'balance.updated' && event.at < (replayed.get(event.change.id) ?? 0);
}
