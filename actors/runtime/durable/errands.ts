import { systemCollections } from '../actor/system-collections.ts';
import type { Clock } from '../ports/clock.ts';
import type { RowRecord, Store } from '../ports/store.ts';
import type { EngineHost } from './engine.ts';
import type { Entry } from './entry.ts';
import type { HeldShard } from './held-shard.ts';
import type { Intents } from './intents.ts';
import type { Outbox } from './outbox.ts';

const PAGE = 1_000;
const RETRY_MS = 1_000;

/** What errands work with. */
export interface ErrandsParts {
  readonly outbox: Outbox;
  readonly intents: Intents;
  readonly store: Pick<Store, 'rows'>;
  readonly clock: Clock;
  readonly host: EngineHost;
}

/** Whatever begins beyond a shard once it is durable: messages to other shards, and work in the world. */
export class Errands {
  private readonly parts: ErrandsParts;

  constructor(parts: ErrandsParts) {
    this.parts = parts;
  }

  /** From now on what becomes durable is taken; what memory had of this shard is forgotten. */
  open(home: HeldShard): void {
    this.parts.outbox.open(home);
    this.parts.intents.open(home);
  }

  /** Reads what an earlier owner left; tried again while the store does not answer. */
  fill(home: HeldShard): void {
    const { clock, host } = this.parts;
    this.read(home).catch((error: unknown) => {
      host.log({ level: 'warn', message: 'errands could not be read', shard: home.shard, error: String(error) });
      clock.after(RETRY_MS, () => this.fill(home));
    });
  }

  durable({ home, rows }: Entry): void {
    for (const row of rows) {
      if (row.collection === systemCollections.outbox) this.parts.outbox.durable(home, row);
      else if (row.collection === systemCollections.intents) this.parts.intents.durable(home, row);
    }
  }

  rest(home: HeldShard): void {
    this.parts.outbox.rest(home);
    this.parts.intents.rest(home);
  }

  forget(home: HeldShard): void {
    this.parts.outbox.forget(home);
    this.parts.intents.forget(home);
  }

  private async read(home: HeldShard): Promise<void> {
    const { outbox, intents } = this.parts;
    const letters = await this.all(home, systemCollections.outbox.name);
    const open = await this.all(home, systemCollections.intents.name);
    if (home.serving !== 'live') return;
    outbox.fill(home, letters);
    intents.fill(home, open);
  }

  private async all(home: HeldShard, collection: string): Promise<readonly RowRecord[]> {
    const found: RowRecord[] = [];
    const where = { column: 0, equals: String(home.shard) } as const;
    for (let page: readonly RowRecord[] | null = null; page === null || page.length === PAGE; ) {
      if (home.serving !== 'live') return found;
      const last = found.at(-1);
      const query = { collection, where, limit: PAGE };
      page = await this.parts.store.rows(last ? { ...query, after: { sort: last.sort, id: last.id } } : query);
      found.push(...page);
    }
    return found;
  }
}
