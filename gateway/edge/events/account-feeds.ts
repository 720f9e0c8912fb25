import { ownerOf } from '../../../actors/runtime/index.ts';
import { HolderPlaces } from '../../overload/holder-places.ts';
import type { Caller } from '../../terms/caller.ts';
import type { EventLimits } from '../../terms/config/config.ts';
import { GatewayError, restarting, unavailable } from '../../terms/gateway-error.ts';
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
  readonly #perKey: HolderPlaces;
  readonly #perAccount: HolderPlaces;
  #ended: GatewayError | null = null;

  constructor(services: FeedServices, limits: EventLimits) {
    this.#services = services;
    this.#limits = limits;
    this.#perKey = new HolderPlaces(limits.streamsPerKeyMax);
    this.#perAccount = new HolderPlaces(limits.streamsPerAccountMax);
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
   * (streams of this key or this account), 503 (streams of this node), or a failure to read.
   */
  async subscribe(caller: Caller, filter: EventFilter, sink: EventSink): Promise<Subscription> {
    const account = ownerOf(caller.key);
    const leave = this.#take(account, caller.key);
    let open: OpenFeed;
    try {
      open = this.#open(account);
    } catch (thrown) {
      leave();
      throw thrown;
    }
    const subscription = new Subscription({
      services: this.#services,
      feed: open.feed,
      account,
      key: caller.key,
      filter,
      sink,
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

  /** Takes a place of the account and of its key; returns the function that gives both back. */
  #take(account: string, key: string): () => void {
    const { streamsMax, streamsPerKeyMax, streamsPerAccountMax } = this.#limits;
    if (this.#ended !== null) throw this.#ended;
    if (this.#subscriptions.size >= streamsMax) throw unavailable('too many event streams are open on this node');
    if (!this.#perKey.take(key)) throw tooMany('A key', streamsPerKeyMax);
    if (!this.#perAccount.take(account)) {
      this.#perKey.leave(key);
      throw tooMany('An account', streamsPerAccountMax);
    }
    return () => {
      this.#perKey.leave(key);
      this.#perAccount.leave(account);
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

function tooMany(who: string, limit: number): GatewayError {
  return new GatewayError({
    status: 429,
    type: 'rate_limit_exceeded',
    message: `${who} has at most ${limit} event streams open at once on one node`,
    metadata: { limit },
    headers: { 'retry-after': '1' },
  });
}

/** The reason for which a stream of events ends whose client does not read them. */
export function slowReader(bytesMax: number): GatewayError {
  return new GatewayError({
    status: 408,
    type: 'timeout',
    message: `More than ${bytesMax} bytes of events wait to be read; connect again with the last cursor`,
  });
}
