import { systemCollections } from '../../actor/cascade/row-writes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RowRecord, Store } from '../../ports/store.ts';
import type { Entry } from '../commit/entry.ts';
import type { EngineHost } from '../engine.ts';
import type { Shard } from '../shard.ts';
import type { ActivityOwner } from './activity-owner.ts';
import type { Outbox } from './outbox.ts';

const PAGE = 1_000;
const RETRY_MS = 1_000;

/** Dependencies of `Outgoing`. */
interface OutgoingParts {
  readonly outbox: Outbox;
  readonly activityOwner: ActivityOwner;
  readonly store: Pick<Store, 'rows'>;
  readonly clock: Clock;
  readonly host: EngineHost;
}

/** Starts the effects that leave a shard once they are durable: messages to other shards, and activities. */
export class Outgoing {
  private readonly parts: OutgoingParts;

  constructor(parts: OutgoingParts) {
    this.parts = parts;
  }

  /** Starts to accept durable writes of this shard, with empty state. */
  open(shard: Shard): void {
    this.parts.outbox.open(shard);
    this.parts.activityOwner.open(shard);
  }

  /** Reads the rows that the previous owner left; retries while the store fails. */
  fill(shard: Shard): void {
    const { clock, host } = this.parts;
    this.read(shard).catch((error: unknown) => {
      host.log({
        level: 'warn',
        message: 'outgoing messages and activities could not be read',
        shard: shard.id,
        error: String(error),
      });
      clock.after(RETRY_MS, () => this.fill(shard));
    });
  }

  durable({ shard, rows }: Entry): void {
    for (const row of rows) {
      if (row.collection === systemCollections.outbox) this.parts.outbox.durable(shard, row);
      else if (row.collection === systemCollections.activities) this.parts.activityOwner.durable(shard, row);
    }
  }

  pause(shard: Shard): void {
    this.parts.outbox.pause(shard);
    this.parts.activityOwner.pause(shard);
  }

  drop(shard: Shard): void {
    this.parts.outbox.drop(shard);
    this.parts.activityOwner.drop(shard);
  }

  private async read(shard: Shard): Promise<void> {
    const { outbox, activityOwner } = this.parts;
    const messages = await this.all(shard, systemCollections.outbox.name);
    const open = await this.all(shard, systemCollections.activities.name);
    if (shard.serving !== 'live') return;
    outbox.fill(shard, messages);
    activityOwner.fill(shard, open);
  }

  private async all(shard: Shard, collection: string): Promise<readonly RowRecord[]> {
    const found: RowRecord[] = [];
    const where = { column: 0, equals: String(shard.id) } as const;
    for (let page: readonly RowRecord[] | null = null; page === null || page.length === PAGE; ) {
      if (shard.serving !== 'live') return found;
      const last = found.at(-1);
      const query = { collection, where, limit: PAGE };
      page = await this.parts.store.rows(last ? { ...query, after: { sort: last.sort, id: last.id } } : query);
      found.push(...page);
    }
    return found;
  }
}
