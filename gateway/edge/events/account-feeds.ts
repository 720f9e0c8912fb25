import { ownerOf } from '../../../actors/runtime/index.ts';
import type { Caller } from '../../terms/caller.ts';
import type { EventLimits } from '../../terms/config.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { restarting } from '../../terms/restarting.ts';
import { unavailable } from '../../terms/unavailable.ts';
import { AccountFeed, type FeedServices } from './account-feed.ts';
import type { EventFilter } from './event-filter.ts';
import { type EventSink, Subscription } from './subscription.ts';

interface OpenFeed {
  readonly feed: AccountFeed;
  readonly opened: Promise<void>;
}

/** The feeds of one node: one for each account that a client follows, however many clients there are. */
export class AccountFeeds {
  readonly #services: FeedServices;
  readonly #limits: EventLimits;
  readonly #feeds = new Map<string, OpenFeed>();
  readonly #subscriptions = new Set<Subscription>();
  #requests = 0;
  readonly #perKey = new Map<string, number>();
  #ended: GatewayError | null = null;

  constructor(services: FeedServices, limits: EventLimits) {
    this.#services = services;
    this.#limits = limits;
  }

  /** Open streams that are requests under way. */
  get requests(): number {
    return this.#requests;
  }

  /** Open streams. */
  get size(): number {
    return this.#subscriptions.size;
  }

  /**
   * Joins the feed of the caller's account; `Subscription.start` begins the delivery. Rejects with GatewayError 429
   * (streams of this key), 503 (streams of this node), or a failure to read.
   */
  async subscribe(caller: Caller, filter: EventFilter, sink: EventSink): Promise<Subscription> {
    const account = ownerOf(caller.key);
    this.#check(caller.key);
    const open = this.#open(account);
    const leave = this.#take(caller.key);
    const subscription = new Subscription({
      ...{ services: this.#services, feed: open.feed, account, key: caller.key, filter, sink },
      closed: () => {
        this.#subscriptions.delete(subscription);
        if (sink.holdsRequest) this.#requests--;
        leave();
        this.#release(account, open);
      },
    });
    this.#subscriptions.add(subscription);
    if (sink.holdsRequest) this.#requests++;
    try {
      await open.opened;
    } catch (thrown) {
      this.#forget(account, open);
      subscription.close();
      throw thrown;
    }
    return subscription;
  }

  /** Ends every stream, and refuses new ones: the node drains. */
  endAll(): void {
    const error = restarting();
    this.#ended = error;
    for (const subscription of [...this.#subscriptions]) subscription.end(error);
  }

  #check(key: string): void {
    const { streamsMax, streamsPerKeyMax } = this.#limits;
    if (this.#ended !== null) throw this.#ended;
    if (this.#subscriptions.size >= streamsMax) throw unavailable('too many event streams are open on this node');
    if ((this.#perKey.get(key) ?? 0) >= streamsPerKeyMax) {
      const message = `A key has at most ${streamsPerKeyMax} event streams open at once`;
      throw new GatewayError({ status: 429, type: 'rate_limit_exceeded', message, headers: { 'retry-after': '1' } });
    }
  }

  #take(key: string): () => void {
    this.#perKey.set(key, (this.#perKey.get(key) ?? 0) + 1);
    return () => {
      const left = (this.#perKey.get(key) ?? 1) - 1;
      if (left === 0) this.#perKey.delete(key);
      else this.#perKey.set(key, left);
    };
  }

  #open(account: string): OpenFeed {
    const known = this.#feeds.get(account);
    if (known !== undefined) return known;
    const feed = new AccountFeed(this.#services, account);
    const open = { feed, opened: feed.open() };
    this.#feeds.set(account, open);
    return open;
  }

  #release(account: string, open: OpenFeed): void {
    if (open.feed.listeners === 0) this.#forget(account, open);
  }

  #forget(account: string, open: OpenFeed): void {
    open.feed.close();
    if (this.#feeds.get(account) === open) this.#feeds.delete(account);
  }
}
