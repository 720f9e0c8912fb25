import type { Cell } from '../actor/cell.ts';
import type { CommitQueue } from './commit-queue.ts';

/**
 * The cells that have something to do, in turn. One whose entries would go into a line of the commit queue that is full
 * waits apart until there is room, and holds up nobody of another line. Each cell stands in it once at most.
 */
export class RunQueue {
  private readonly queue: Pick<CommitQueue, 'lineOf' | 'isFull' | 'lineCount'>;
  private cells: Cell[] = [];
  private next = 0;
  /** By line. */
  private readonly held: Cell[][];

  constructor(queue: Pick<CommitQueue, 'lineOf' | 'isFull' | 'lineCount'>) {
    this.queue = queue;
    this.held = Array.from({ length: queue.lineCount }, () => []);
  }

  add(cell: Cell): void {
    this.cells.push(cell);
  }

  /** Cells of lines that have room again stand in turn again. To be called before cells are taken. */
  ease(): void {
    for (let line = 0; line < this.held.length; line++) {
      const held = this.held[line] as Cell[];
      if (held.length === 0 || this.queue.isFull(line)) continue;
      this.held[line] = [];
      for (const cell of held) this.cells.push(cell);
    }
  }

  /** Null when nobody is left who could be served now. */
  take(): Cell | null {
    while (this.next < this.cells.length) {
      const cell = this.cells[this.next++] as Cell;
      const line = this.queue.lineOf(cell.home.shard);
      if (!this.queue.isFull(line)) return cell;
      (this.held[line] as Cell[]).push(cell);
    }
    return null;
  }

  /** Lets go of those that were taken; true when others wait who could be served now. */
  rest(): boolean {
    this.cells = this.next === this.cells.length ? [] : this.cells.slice(this.next);
    this.next = 0;
    return this.cells.length > 0;
  }
}
