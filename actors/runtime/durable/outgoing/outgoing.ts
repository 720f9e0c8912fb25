import { systemCollections } from '../../actor/system-collections.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RowRecord, Store } from '../../ports/store.ts';
import type { Entry } from '../commit/entry.ts';
import type { EngineHost } from '../engine/engine.ts';
import type { Shard } from '../engine/shard.ts';
import type { Activities } from './activities.ts';
import type { Outbox } from './outbox.ts';

const PAGE = 1_000;
const RETRY_MS = 1_000;

/** What errands work with. */
export interface OutgoingParts {
  readonly outbox: Outbox;
  readonly activities: Activities;
  readonly store: Pick<Store, 'rows'>;
  readonly clock: Clock;
  readonly host: EngineHost;
}

/** Whatever begins beyond a shard once it is durable: messages to other shards, and work in the world. */
export class Outgoing {
  private readonly parts: OutgoingParts;

  constructor(parts: OutgoingParts) {
    this.parts = parts;
  }

  /** From now on what becomes durable is taken; what memory had of this shard is forgotten. */
  open(shard: Shard): void {
    this.parts.outbox.open(shard);
    this.parts.activities.open(shard);
  }

  /** Reads what an earlier owner left; tried again while the store does not answer. */
  fill(shard: Shard): void {
    const { clock, host } = this.parts;
    this.read(shard).catch((error: unknown) => {
      host.log({ level: 'warn', message: 'errands could not be read', shard: shard.id, error: String(error) });
      clock.after(RETRY_MS, () => this.fill(shard));
    });
  }

  durable({ shard, rows }: Entry): void {
    for (const row of rows) {
      if (row.collection === systemCollections.outbox) this.parts.outbox.durable(shard, row);
      else if (row.collection === systemCollections.intents) this.parts.activities.durable(shard, row);
    }
  }

  rest(shard: Shard): void {
    this.parts.outbox.rest(shard);
    this.parts.activities.rest(shard);
  }

  forget(shard: Shard): void {
    this.parts.outbox.forget(shard);
    this.parts.activities.forget(shard);
  }

  private async read(shard: Shard): Promise<void> {
    const { outbox, activities } = this.parts;
    const letters = await this.all(shard, systemCollections.outbox.name);
    const open = await this.all(shard, systemCollections.intents.name);
    if (shard.serving !== 'live') return;
    outbox.fill(shard, letters);
    activities.fill(shard, open);
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
