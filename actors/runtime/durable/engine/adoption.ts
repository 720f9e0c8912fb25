import type { Cell } from '../../actor/cascade/cell.ts';
import { ACTIVATED } from '../../actor/kind.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ActorPage, ActorPlace, RowQuery, RowRecord, Store } from '../../ports/store.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { EngineHost } from '../engine.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { CellRegistry } from '../residency/cell-registry.ts';
import type { Shard } from '../shard.ts';
import type { Timers } from '../timers/timers.ts';

const PAGE = 1_000;
const RETRY_MS = 1_000;

/** Dependencies of `Adoption`. */
interface AdoptionParts {
  readonly registry: CellRegistry;
  readonly dispatcher: Dispatcher;
  readonly timers: Timers;
  /** Null for an engine without a cluster port. */
  readonly outgoing: Outgoing | null;
  readonly store: Pick<Store, 'listActors' | 'rows'>;
  readonly clock: Clock;
  readonly host: EngineHost;
}

/** The index column of a collection that names a row's lease holder, and the event for its loss. */
type LeaseColumn = { readonly collection: string; readonly column: 0 | 1 | 2 | 3; readonly event: string };

/**
 * Background work when shards are adopted: loads their timers, activates resident kinds, and notifies the actors of
 * open lease rows whose holder is a dead node. Shards adopted in one turn share their reads. No caller waits for these
 * events; a read that fails is repeated while the shard is served.
 */
export class Adoption {
  private readonly parts: AdoptionParts;
  private readonly leases: readonly LeaseColumn[];
  private readonly residents: readonly string[];
  private arriving: Shard[] = [];

  constructor(parts: AdoptionParts) {
    this.parts = parts;
    const kinds = [...parts.registry.kinds.values()];
    this.leases = kinds.flatMap(({ kind }) => (kind.leaseRows ? [kind.leaseRows] : []));
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
      for (const lease of this.leases) this.repeat('lease rows', () => this.checkLeases(lease, shards));
    });
  }

  /** Called when a quarantined actor serves again: sends it the events that it missed. */
  returned(cell: Cell, shard: Shard): void {
    if (cell.snapshot === null || !isLive(shard)) return;
    const { dispatcher, host } = this.parts;
    if (cell.kind.kind.resident) dispatcher.notifyUntilTaken(cell.address, { type: ACTIVATED });
    const { leaseRows } = cell.kind.kind;
    if (leaseRows === undefined) return;
    const notified = new Set<string>();
    for (const { index } of cell.rows.open(leaseRows.collection)) {
      const incarnation = index[leaseRows.column] ?? null;
      if (incarnation !== null && host.isGone(incarnation)) this.notify(cell.address, leaseRows, incarnation, notified);
    }
  }

  /** Notifies the actors of every open lease row of this incarnation, in all shards served now. */
  nodeDead(incarnation: string): void {
    const shards = [...this.parts.registry.shards.values()].filter(isLive);
    for (const lease of this.leases) {
      // Rows that are not in the store yet are in the row caches of their cells.
      const notified = new Set<string>();
      for (const shard of shards) {
        for (const cell of shard.cells) {
          for (const row of cell.rows.open(lease.collection)) {
            if (row.index[lease.column] === incarnation) this.notify(cell.address, lease, incarnation, notified);
          }
        }
      }
      const where = { column: lease.column, equals: incarnation } as const;
      this.repeat('lease rows', () => this.scan(lease, shards, { where }, notified, () => true));
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
      for (const shard of shards) await this.activateKind(kind, shard);
    }
  }

  private async activateKind(kind: string, shard: Shard): Promise<void> {
    const query = { order: 'address', kind, shards: [shard.id], limit: PAGE } as const;
    let after: ActorPlace | null = null;
    do {
      if (!isLive(shard)) return;
      const page: ActorPage = await this.parts.store.listActors(after === null ? query : { ...query, after });
      for (const { address } of page.actors) {
        if (isLive(shard)) this.parts.dispatcher.notifyUntilTaken(address, { type: ACTIVATED });
      }
      after = page.next;
    } while (after !== null);
  }

  private async checkLeases(lease: LeaseColumn, shards: readonly Shard[]): Promise<void> {
    await this.scan(lease, shards, {}, new Set(), (incarnation) => this.parts.host.isGone(incarnation));
  }

  /** Reads the open rows of a collection and notifies each actor once per incarnation. */
  private async scan(
    lease: LeaseColumn,
    shards: readonly Shard[],
    filter: Pick<RowQuery, 'where'>,
    notified: Set<string>,
    isOrphan: (incarnation: string) => boolean,
  ): Promise<void> {
    const among = new Set(shards);
    let after: { readonly sort: number; readonly id: string } | undefined;
    while (shards.some(isLive)) {
      const query = { collection: lease.collection, openOnly: true, limit: PAGE, ...filter };
      const page: readonly RowRecord[] = await this.parts.store.rows(after ? { ...query, after } : query);
      for (const row of page) {
        const shard = this.parts.registry.shardOf(row.address);
        const incarnation = row.index[lease.column] ?? null;
        if (shard === undefined || incarnation === null || !among.has(shard) || !isOrphan(incarnation)) continue;
        this.notify(row.address, lease, incarnation, notified);
      }
      const last = page.at(-1);
      if (page.length < PAGE || last === undefined) return;
      after = { sort: last.sort, id: last.id };
    }
  }

  private notify(address: string, lease: LeaseColumn, incarnation: string, notified: Set<string>): void {
    const key = `${address} ${incarnation}`;
    if (notified.has(key)) return;
    notified.add(key);
    this.parts.dispatcher.notifyUntilTaken(address, { type: lease.event, incarnation });
  }
}

function isLive(shard: Shard): boolean {
  return shard.serving === 'live';
}
