import { kindOf, parseAddress, shardOf } from '../../actor/address.ts';
import type { Neighbours } from '../../actor/cascade/cascade.ts';
import { Cell } from '../../actor/cascade/cell.ts';
import type { RegisteredKind } from '../../actor/charts/register.ts';
import type { Log } from '../../ports/log.ts';
import type { Shard } from '../shard.ts';

/**
 * The evictable cells in the order of their last use: a list linked through the cells themselves, so that a use costs a
 * few pointer writes and no allocation. It never holds actors of resident kinds or quarantined ones.
 */
export class UseOrder {
  newest: Cell | null = null;
  oldest: Cell | null = null;
  size = 0;

  /** Adds a cell as the most recently used. */
  add(cell: Cell): void {
    if (cell.ordered) return;
    cell.ordered = true;
    this.size++;
    cell.older = this.newest;
    if (this.newest === null) this.oldest = cell;
    else this.newest.newer = cell;
    this.newest = cell;
  }

  /** Marks a listed cell as the most recently used. */
  touch(cell: Cell): void {
    if (cell === this.newest || !cell.ordered) return;
    this.remove(cell);
    this.add(cell);
  }

  remove(cell: Cell): void {
    if (!cell.ordered) return;
    cell.ordered = false;
    this.size--;
    if (cell.newer === null) this.newest = cell.older;
    else cell.newer.older = cell.older;
    if (cell.older === null) this.oldest = cell.newer;
    else cell.older.newer = cell.newer;
    cell.newer = null;
    cell.older = null;
  }
}

interface CellRegistryParts {
  readonly kinds: readonly RegisteredKind[];
  readonly shards: number;
  readonly transitionsMax: number;
  /** Activities with a handler; null for an engine without a cluster port. */
  readonly activities: ReadonlySet<string> | null;
  /** Null for an engine without a cluster port. */
  readonly outbox: { isFull(shard: Shard): boolean } | null;
  readonly log: Log;
}

/** Indexes the shards served here and their cells in memory. */
export class CellRegistry implements Neighbours {
  readonly cells = new Map<string, Cell>();
  /** Quarantined actors. They stay until an operator reloads them. */
  readonly quarantined = new Set<Cell>();
  /** Cells that may be evicted, by last use. */
  readonly order = new UseOrder();
  readonly shards = new Map<number, Shard>();
  readonly kinds: ReadonlyMap<string, RegisteredKind>;
  readonly shardCount: number;
  private readonly parts: CellRegistryParts;
  /** The last epoch under which this engine served each shard, for `moved`. */
  private readonly epochs = new Map<number, number>();

  constructor(parts: CellRegistryParts) {
    this.parts = parts;
    this.kinds = new Map(parts.kinds.map((kind) => [kind.name, kind]));
    this.shardCount = parts.shards;
  }

  place(shard: Shard): void {
    this.shards.set(shard.id, shard);
    this.epochs.set(shard.id, shard.epoch);
  }

  /** The shard of an address, if this engine serves it. */
  shardOf(address: string): Shard | undefined {
    return this.shards.get(shardOf(address, this.shardCount));
  }

  /** The shard of a cell that is in memory. */
  shardOfCell(cell: Cell): Shard | null {
    const shard = this.shards.get(cell.shard.id);
    return shard === cell.shard ? shard : null;
  }

  lastEpoch(address: string): number {
    return this.epochs.get(shardOf(address, this.shardCount)) ?? 0;
  }

  /** Why the address is invalid, or null. */
  faultOf(address: string): string | null {
    if (parseAddress(address) === null) return `${address} is no address`;
    return this.kinds.has(kindOf(address)) ? null : `no kind of actor is called ${kindOf(address)}`;
  }

  /** Creates a cell that is still to be loaded; the address must be valid. */
  open(address: string, shard: Shard): Cell {
    const kind = this.kinds.get(kindOf(address));
    if (kind === undefined) throw new Error(`no kind of actor is called ${kindOf(address)}`);
    const cell = new Cell(address, kind, shard, this.parts.transitionsMax);
    this.cells.set(address, cell);
    shard.cells.add(cell);
    if (!kind.kind.resident) this.order.add(cell);
    return cell;
  }

  remove(cell: Cell): void {
    if (this.cells.get(cell.address) === cell) this.cells.delete(cell.address);
    (cell.shard as Shard).cells.delete(cell);
    this.order.remove(cell);
    this.quarantined.delete(cell);
  }

  /** Removes an unused cell. */
  tidy(cell: Cell): void {
    if (cell.vacant) this.remove(cell);
  }

  /** Isolates an actor whose stored state does not load. It is logged once for each adoption of its shard. */
  quarantine(cell: Cell, fault: string): void {
    const { reported } = cell.shard as Shard;
    cell.phase = 'quarantined';
    cell.fault = fault;
    this.order.remove(cell);
    this.quarantined.add(cell);
    if (reported.has(cell.address)) return;
    reported.add(cell.address);
    const message = 'an actor is quarantined: its stored state does not load';
    this.parts.log({ level: 'error', message, address: cell.address, detail: fault });
  }

  /** Rewinds a cell to its stored state. */
  rewind(cell: Cell): void {
    if (this.quarantined.delete(cell) && !cell.kind.kind.resident) this.order.add(cell);
    cell.rewind();
  }

  hasHandler(name: string): boolean {
    return this.parts.activities?.has(name) ?? false;
  }

  outboxFull(from: Cell): boolean {
    return this.parts.outbox?.isFull(from.shard as Shard) ?? false;
  }

  find(address: string, from: Cell): Cell | 'unloaded' | 'elsewhere' | { readonly unreachable: string } {
    const cell = this.cells.get(address);
    if (cell !== undefined && cell.shard === from.shard) {
      if (cell.phase === 'ready') {
        this.order.touch(cell);
        return cell;
      }
      return cell.phase === 'loading' ? 'unloaded' : cell;
    }
    const fault = this.faultOf(address);
    if (fault !== null) return { unreachable: fault };
    if (shardOf(address, this.shardCount) !== from.shard.id) {
      if (this.parts.outbox !== null) return 'elsewhere';
      return { unreachable: `${from.address} sent to ${address}, which is in another shard` };
    }
    return 'unloaded';
  }
}
