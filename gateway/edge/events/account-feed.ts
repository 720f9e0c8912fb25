import { showAccount } from '../../../actors/account/account.ts';
import type { AccountView } from '../../../actors/account/statement.ts';
import { type Clock, type Cluster, kindOf } from '../../../actors/runtime/index.ts';
import { FEED_EVENT_RETENTION_MS, type FeedEventRow } from '../../../actors/terms/feed-event.ts';
import { accountAddress } from '../../../actors/terms/ids.ts';
import { changesSince } from './changes-since.ts';
import type { FeedEvent } from './feed-event.ts';

/** Reads follow each other no closer: the first notice is answered at once, those behind it by one read. */
const GATHER_MS = 20;
/** Pause after a read that failed, such as one without contact to the store. */
const RETRY_MS = 1_000;
/**
 * Everything is read again after this time without a notice, in case one was lost, or the clock of a node was set back by
 * more than a read overlaps.
 */
const RESYNC_MS = 60_000;
/**
 * Rows are stamped before they are durable, so a row may become visible after a later one. Each read begins this much
 * before the newest row that was seen.
 */
export const OVERLAP_MS = 30_000;

/** Objects whose newest change is remembered, so that it is not sent again. */
const SENT_MAX = 10_000;

type Listen = (events: readonly FeedEvent[]) => void;

export interface FeedServices {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Longest wait for an actor's answer, ms. */
  readonly askMs: number;
}

/**
 * What changes in one account, for the clients of this node that follow it. Notices of the cluster say that something
 * was committed; the feed then reads the rows of changes and the account, so an event is never sent before it is
 * durable. Changes of one object that follow each other closely are one event with the newest state.
 */
export class AccountFeed {
  readonly #services: FeedServices;
  readonly #account: string;
  readonly #listeners = new Set<Listen>();
  readonly #stop: () => void;
  /** The text of the newest change that was sent, by object; the oldest are forgotten beyond SENT_MAX. */
  readonly #sent = new Map<string, { readonly at: number; readonly text: string }>();
  #view: AccountView | null = null;
  #newestAt: number;
  /** What the next read covers; `since` is a store time, null reads no rows. */
  #since: number | null = null;
  #balance = false;
  /** True from the beginning until what came before is read: a notice in between must not send it. */
  #reading = true;
  /** When the last read began, monotonic ms. */
  #readAt = Number.NEGATIVE_INFINITY;
  /** A read is scheduled because of a notice or a failure. */
  #soon = false;
  #cancel: () => void = () => {};

  /** `account` is an id. Throws if the node watches too many accounts. */
  constructor(services: FeedServices, account: string) {
    this.#services = services;
    this.#account = account;
    this.#newestAt = services.cluster.now();
    this.#stop = services.cluster.changes.watch(account, (address) => this.#notice(address));
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Reads what came before, so that it is not sent. Rejects with AskError or a failure of the store. */
  async open(): Promise<void> {
    const { cluster } = this.#services;
    const [{ changes }] = await Promise.all([
      changesSince(cluster, this.#account, this.#newestAt - FEED_EVENT_RETENTION_MS),
      this.#readBalance(),
    ]);
    for (const change of changes) this.#isNew(change);
    this.#reading = false;
    this.#later(this.#pendingMs());
  }

  listen(listener: Listen): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop();
    this.#cancel();
    this.#listeners.clear();
  }

  #notice(address: string | null): void {
    if (address === null || kindOf(address) === 'account') this.#balance = true;
    if (address === null) this.#since = this.#newestAt - FEED_EVENT_RETENTION_MS;
    else if (kindOf(address) !== 'account') this.#since ??= this.#newestAt - OVERLAP_MS;
    if (!this.#reading && !this.#soon) this.#later(this.#restMs());
  }

  /** Until the next read: at once for a notice that came during the last one. */
  #pendingMs(): number {
    return this.#balance || this.#since !== null ? this.#restMs() : RESYNC_MS;
  }

  /** Until the next read may begin. */
  #restMs(): number {
    return Math.max(0, this.#readAt + GATHER_MS - this.#services.clock.monotonic());
  }

  #later(delayMs: number): void {
    this.#soon = delayMs < RESYNC_MS;
    this.#cancel();
    this.#cancel = this.#services.clock.after(delayMs, () => void this.#read(delayMs === RESYNC_MS));
  }

  async #read(resync: boolean): Promise<void> {
    if (resync) [this.#since, this.#balance] = [this.#newestAt - FEED_EVENT_RETENTION_MS, true];
    const [since, balance] = [this.#since, this.#balance];
    [this.#since, this.#balance, this.#reading, this.#soon] = [null, false, true, false];
    this.#readAt = this.#services.clock.monotonic();
    let nextMs = RESYNC_MS;
    try {
      // Delivered before the balance is read: a change that was read counts as sent, whatever fails afterwards.
      if (since !== null) this.#deliver(await this.#readChanges(since));
      if (balance) this.#deliver(await this.#readBalance());
    } catch {
      this.#balance ||= balance;
      this.#since ??= since;
      nextMs = RETRY_MS;
    }
    this.#reading = false;
    if (nextMs === RESYNC_MS) nextMs = this.#pendingMs();
    if (this.#listeners.size > 0) this.#later(nextMs);
  }

  #deliver(events: readonly FeedEvent[]): void {
    if (events.length > 0) for (const listener of this.#listeners) listener(events);
  }

  async #readChanges(since: number): Promise<FeedEvent[]> {
    const { changes, complete } = await changesSince(this.#services.cluster, this.#account, since);
    const events = changes.filter((change) => this.#isNew(change)).map(eventOf);
    // The rest is read next, from the newest row of this part on.
    if (!complete) this.#since = this.#newestAt;
    this.#forget();
    return events;
  }

  async #readBalance(): Promise<FeedEvent[]> {
    const { cluster, askMs } = this.#services;
    const view = await showAccount(cluster, accountAddress(this.#account), askMs);
    const same = JSON.stringify(view) === JSON.stringify(this.#view);
    this.#view = view;
    return same ? [] : [{ type: 'balance.updated', at: cluster.now(), view }];
  }

  /** True once for each change. */
  #isNew(change: FeedEventRow): boolean {
    const text = JSON.stringify(change);
    const { id, at } = change;
    this.#newestAt = Math.max(this.#newestAt, at);
    if (this.#sent.get(id)?.text === text) return false;
    this.#sent.delete(id);
    this.#sent.set(id, { at, text });
    return true;
  }

  #forget(): void {
    const before = this.#newestAt - FEED_EVENT_RETENTION_MS;
    for (const [id, { at }] of this.#sent) if (at < before || this.#sent.size > SENT_MAX) this.#sent.delete(id);
  }
}

export function eventOf(change: FeedEventRow): FeedEvent {
  return { type: change.type, at: change.at, change };
}
