import type { Cell } from '../../actor/cell.ts';
import { ACTIVATED } from '../../actor/kind.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RowQuery, RowRecord, Store } from '../../ports/store.ts';
import type { CellRegistry } from '../engine/cell-registry.ts';
import type { EngineHost } from '../engine/engine.ts';
import type { Runner } from '../engine/runner.ts';
import type { Shard } from '../engine/shard.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { Timers } from '../timers/timers.ts';

const PAGE = 1_000;
const RETRY_MS = 1_000;

/** What the first moments of a shard need. */
export interface AdoptionParts {
  readonly registry: CellRegistry;
  readonly runner: Runner;
  readonly timers: Timers;
  /** Null where nothing may leave this engine. */
  readonly outgoing: Outgoing | null;
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
  private arriving: Shard[] = [];

  constructor(parts: AdoptionParts) {
    this.parts = parts;
    const kinds = [...parts.registry.kinds.values()];
    this.tenants = kinds.flatMap(({ kind }) => (kind.leaseRows ? [kind.leaseRows] : []));
    this.residents = kinds.filter(({ kind }) => kind.resident).map(({ name }) => name);
  }

  add(shard: Shard): void {
    this.parts.timers.open(shard);
    this.parts.outgoing?.open(shard);
    this.arriving.push(shard);
    if (this.arriving.length > 1) return;
    this.parts.clock.after(0, () => {
      const shards = this.arriving.filter(isLive);
      this.arriving = [];
      this.parts.timers.fill(shards);
      for (const shard of shards) this.parts.outgoing?.fill(shard);
      this.repeat('residents', () => this.activate(shards));
      for (const tenant of this.tenants) this.repeat('tenants', () => this.checkTenants(tenant, shards));
    });
  }

  /** An actor that was quarantined serves again: it hears what nobody could tell it. */
  returned(cell: Cell, shard: Shard): void {
    if (cell.snapshot === null || !isLive(shard)) return;
    const { runner, host } = this.parts;
    if (cell.kind.kind.resident) runner.notifyUntilTaken(cell.address, { type: ACTIVATED });
    const { leaseRows: tenancy } = cell.kind.kind;
    if (tenancy === undefined) return;
    const told = new Set<string>();
    for (const { index } of cell.rows.open(tenancy.collection)) {
      const incarnation = index[tenancy.column] ?? null;
      if (incarnation !== null && host.isGone(incarnation)) this.tell(cell.address, tenancy, incarnation, told);
    }
  }

  /** Tells the actors of every row that is open on behalf of this incarnation, in all shards served now. */
  nodeDead(incarnation: string): void {
    const shards = [...this.parts.registry.shards.values()].filter(isLive);
    for (const tenant of this.tenants) {
      // Rows that are not in the store yet stand beside their cells.
      const told = new Set<string>();
      for (const shard of shards) {
        for (const cell of shard.cells) {
          for (const row of cell.rows.open(tenant.collection)) {
            if (row.index[tenant.column] === incarnation) this.tell(cell.address, tenant, incarnation, told);
          }
        }
      }
      const where = { column: tenant.column, equals: incarnation } as const;
      this.repeat('tenants', () => this.scan(tenant, shards, { where }, told, () => true));
    }
  }

  private repeat(what: string, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.parts.host.log({ level: 'warn', message: `${what} could not be read`, error: String(error) });
      this.parts.clock.after(RETRY_MS, () => this.repeat(what, work));
    });
  }

  private async activate(shards: readonly Shard[]): Promise<void> {
    for (const kind of this.residents) {
      for (const shard of shards) {
        if (!isLive(shard)) continue;
        for (const address of await this.parts.store.actorsOf(kind, shard.id)) {
          if (isLive(shard)) this.parts.runner.notifyUntilTaken(address, { type: ACTIVATED });
        }
      }
    }
  }

  private async checkTenants(tenant: Tenant, shards: readonly Shard[]): Promise<void> {
    await this.scan(tenant, shards, {}, new Set(), (incarnation) => this.parts.host.isGone(incarnation));
  }

  /** Goes through the open rows of a collection and tells each actor once per incarnation. */
  private async scan(
    tenant: Tenant,
    shards: readonly Shard[],
    filter: Pick<RowQuery, 'where'>,
    told: Set<string>,
    isOrphan: (incarnation: string) => boolean,
  ): Promise<void> {
    const among = new Set(shards);
    let after: { readonly sort: number; readonly id: string } | undefined;
    while (shards.some(isLive)) {
      const query = { collection: tenant.collection, openOnly: true, limit: PAGE, ...filter };
      const page: readonly RowRecord[] = await this.parts.store.rows(after ? { ...query, after } : query);
      for (const row of page) {
        const shard = this.parts.registry.shardOf(row.address);
        const incarnation = row.index[tenant.column] ?? null;
        if (shard === undefined || incarnation === null || !among.has(shard) || !isOrphan(incarnation)) continue;
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
    this.parts.runner.notifyUntilTaken(address, { type: tenant.event, incarnation });
  }
}

function isLive(shard: Shard): boolean {
  return shard.serving === 'live';
}
