import { kindOf, parseAddress, shardOf } from '../../actor/address.ts';
import type { Neighbours } from '../../actor/cascade.ts';
import { Cell } from '../../actor/cell.ts';
import type { RegisteredKind } from '../../actor/registered-kind.ts';
import type { Outbox } from '../outgoing/outbox.ts';
import { UseOrder } from '../residency/use-order.ts';
import type { Shard } from './shard.ts';

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
  private readonly trailMax: number;
  /** Activities with a handler; null for an engine without a cluster port. */
  private readonly activities: ReadonlySet<string> | null;
  /** Set once; null for an engine without a cluster port. */
  outbox: Outbox | null = null;
  /** The last epoch under which this engine served each shard, for `moved`. */
  private readonly epochs = new Map<number, number>();

  constructor(
    kinds: readonly RegisteredKind[],
    shardCount: number,
    trailMax: number,
    activities: ReadonlySet<string> | null,
  ) {
    this.activities = activities;
    this.kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.shardCount = shardCount;
    this.trailMax = trailMax;
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
    const cell = new Cell(address, kind, shard, this.trailMax);
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

  quarantine(cell: Cell): void {
    this.order.remove(cell);
    this.quarantined.add(cell);
  }

  /** Rewinds a cell to its stored state. */
  rewind(cell: Cell): void {
    if (this.quarantined.delete(cell) && !cell.kind.kind.resident) this.order.add(cell);
    cell.rewind();
  }

  hasHandler(name: string): boolean {
    return this.activities?.has(name) ?? false;
  }

  outboxFull(from: Cell): boolean {
    return this.outbox?.isFull(from.shard as Shard) ?? false;
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
      if (this.outbox !== null) return 'elsewhere';
      return { unreachable: `${from.address} sent to ${address}, which is in another shard` };
    }
    return 'unloaded';
  }
}
