import type { Cell } from '../actor/cell.ts';
import { ACTIVATED } from '../actor/kind.ts';
import type { Clock } from '../ports/clock.ts';
import type { RowQuery, RowRecord, Store } from '../ports/store.ts';
import type { EngineHost } from './engine.ts';
import type { Errands } from './errands.ts';
import type { Floor } from './floor.ts';
import type { HeldShard } from './held-shard.ts';
import type { Runner } from './runner.ts';
import type { Timers } from './timers.ts';

const PAGE = 1_000;
const RETRY_MS = 1_000;

/** What the first moments of a shard need. */
export interface AdoptionParts {
  readonly floor: Floor;
  readonly runner: Runner;
  readonly timers: Timers;
  /** Null where nothing may leave this engine. */
  readonly errands: Errands | null;
  readonly store: Pick<Store, 'actorsOf' | 'rows'>;
  readonly clock: Clock;
  readonly host: EngineHost;
}

type Tenant = { readonly collection: string; readonly column: 0 | 1 | 2 | 3; readonly event: string };

/**
 * Work beside serving when shards are adopted: loads their timers, activates resident kinds, and sends the actors of
 * rows that are open on behalf of a dead node their event. Shards adopted in one turn share their reads. No caller waits
 * for these events; a read that fails is repeated while the shard is served.
 */
export class Adoption {
  private readonly parts: AdoptionParts;
  private readonly tenants: readonly Tenant[];
  private readonly residents: readonly string[];
  private arriving: HeldShard[] = [];

  constructor(parts: AdoptionParts) {
    this.parts = parts;
    const kinds = [...parts.floor.kinds.values()];
    this.tenants = kinds.flatMap(({ kind }) => (kind.tenancy ? [kind.tenancy] : []));
    this.residents = kinds.filter(({ kind }) => kind.resident).map(({ name }) => name);
  }

  add(home: HeldShard): void {
    this.parts.timers.open(home);
    this.parts.errands?.open(home);
    this.arriving.push(home);
    if (this.arriving.length > 1) return;
    this.parts.clock.after(0, () => {
      const homes = this.arriving.filter(isLive);
      this.arriving = [];
      this.parts.timers.fill(homes);
      for (const home of homes) this.parts.errands?.fill(home);
      this.repeat('residents', () => this.activate(homes));
      for (const tenant of this.tenants) this.repeat('tenants', () => this.checkTenants(tenant, homes));
    });
  }

  /** An actor that was quarantined serves again: it hears what nobody could tell it. */
  returned(cell: Cell, home: HeldShard): void {
    if (cell.snapshot === null || !isLive(home)) return;
    const { runner, host } = this.parts;
    if (cell.kind.kind.resident) runner.insist(cell.address, { type: ACTIVATED });
    const { tenancy } = cell.kind.kind;
    if (tenancy === undefined) return;
    const told = new Set<string>();
    for (const { index } of cell.rows.open(tenancy.collection)) {
      const incarnation = index[tenancy.column] ?? null;
      if (incarnation !== null && host.isGone(incarnation)) this.tell(cell.address, tenancy, incarnation, told);
    }
  }

  /** Tells the actors of every row that is open on behalf of this incarnation, in all shards served now. */
  buried(incarnation: string): void {
    const homes = [...this.parts.floor.shards.values()].filter(isLive);
    for (const tenant of this.tenants) {
      // Rows that are not in the store yet stand beside their cells.
      const told = new Set<string>();
      for (const home of homes) {
        for (const cell of home.cells) {
          for (const row of cell.rows.open(tenant.collection)) {
            if (row.index[tenant.column] === incarnation) this.tell(cell.address, tenant, incarnation, told);
          }
        }
      }
      const where = { column: tenant.column, equals: incarnation } as const;
      this.repeat('tenants', () => this.scan(tenant, homes, { where }, told, () => true));
    }
  }

  private repeat(what: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.parts.host.log({ level: 'warn', message: `${what} could not be read`, error: String(error) });
      this.parts.clock.after(RETRY_MS, () => this.repeat(what, work));
    });
  }

  private async activate(homes: readonly HeldShard[]): Promise<void> {
    for (const kind of this.residents) {
      for (const home of homes) {
        if (!isLive(home)) continue;
        for (const address of await this.parts.store.actorsOf(kind, home.shard)) {
          if (isLive(home)) this.parts.runner.insist(address, { type: ACTIVATED });
        }
      }
    }
  }

  private async checkTenants(tenant: Tenant, homes: readonly HeldShard[]): Promise<void> {
    await this.scan(tenant, homes, {}, new Set(), (incarnation) => this.parts.host.isGone(incarnation));
  }

  /** Goes through the open rows of a collection and tells each actor once per incarnation. */
  private async scan(
    tenant: Tenant,
    homes: readonly HeldShard[],
    filter: Pick<RowQuery, 'where'>,
    told: Set<string>,
    isOrphan: (incarnation: string) => boolean,
  ): Promise<void> {
    const among = new Set(homes);
    let after: { readonly sort: number; readonly id: string } | undefined;
    while (homes.some(isLive)) {
      const query = { collection: tenant.collection, openOnly: true, limit: PAGE, ...filter };
      const page: readonly RowRecord[] = await this.parts.store.rows(after ? { ...query, after } : query);
      for (const row of page) {
        const home = this.parts.floor.homeOf(row.address);
        const incarnation = row.index[tenant.column] ?? null;
        if (home === undefined || incarnation === null || !among.has(home) || !isOrphan(incarnation)) continue;
        this.tell(row.address, tenant, incarnation, told);
      }
      const last = page.at(-1);
      if (page.length < PAGE || last === undefined) return;
      after = { sort: last.sort, id: last.id };
    }
  }

  private tell(address: string, tenant: Tenant, incarnation: string, told: Set<string>): void {
    const key = `${address} ${incarnation}`;
    if (told.has(key)) return;
    told.add(key);
    this.parts.runner.insist(address, { type: tenant.event, incarnation });
  }
}

function isLive(home: HeldShard): boolean {
  return home.serving === 'live';
}
