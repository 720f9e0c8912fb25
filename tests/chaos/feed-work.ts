import type { BatchEvidence, BatchSeen } from '../support/auditor/batch-evidence.ts';
import { TERMINAL } from '../support/auditor/batches-joined.ts';
import { limit } from '../support/pace.ts';
import { FeedClient } from '../support/stream/feed-client.ts';
import { pause } from './call.ts';
import type { Payer } from './workload.ts';

/** Followed accounts: enough that every node has followers. */
const FOLLOWERS = 6;
const LOOK_MS = 100;
/** A feed reads everything again after this time, whatever notice was lost. */
const LAST_MS = 90_000;

interface BatchData {
  readonly id: string;
  readonly status: string;
  readonly request_counts: BatchSeen['counts'];
}

/** Followers of the batches of some accounts: each connects again with its cursor when its node ends. */
export class FeedWork {
  readonly #followers: readonly { readonly account: string; readonly feed: FeedClient }[];

  constructor(base: string, payers: readonly Payer[]) {
    this.#followers = payers
      .slice(0, FOLLOWERS)
      .map(({ account, key }) => ({ account, feed: new FeedClient(base, key, ['batch']) }));
  }

  /** Resolves once every follower follows. */
  async start(): Promise<void> {
    await Promise.all(this.#followers.map(({ feed }) => feed.ready));
  }

  /** Waits for the ends of the batches that a follower has seen; call it once no batch runs. */
  async stop(): Promise<void> {
    for (const leftMs = limit(LAST_MS); leftMs() > 0 && !this.#isComplete(); await pause(LOOK_MS));
    for (const { feed } of this.#followers) feed.close();
  }

  get seen(): NonNullable<BatchEvidence['seen']> {
    return this.#followers.map(({ account, feed }) => ({ account, events: seenBy(feed) }));
  }

  #isComplete(): boolean {
    return this.seen.every(({ events }) => {
      const last = new Map(events.map(({ id, status }) => [id, status]));
      return [...last.values()].every((status) => TERMINAL.has(status));
    });
  }
}

function seenBy(follower: FeedClient): readonly BatchSeen[] {
  return follower.of('batch.updated').map(({ at, data }) => {
    const { id, status, request_counts: counts } = data as unknown as BatchData;
    return { id, at, status, counts };
  });
}
