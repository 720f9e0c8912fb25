import type { Cell } from '../../actor/cascade/cell.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';

/**
 * The runnable cells, in round-robin order. A cell whose line of the commit queue is full is held separately until the
 * line has room, so that it does not block cells of other lines. A cell is queued at most once.
 */
export class RunQueue {
  private readonly queue: Pick<CommitQueue, 'lineOf' | 'isFull' | 'lineCount'>;
  /** An intrusive list: cells hold the links. */
  private first: Cell | null = null;
  private last: Cell | null = null;
  /** Cells held back, by line. */
  private readonly held: Cell[][];

  constructor(queue: Pick<CommitQueue, 'lineOf' | 'isFull' | 'lineCount'>) {
    this.queue = queue;
    this.held = Array.from({ length: queue.lineCount }, () => []);
  }

  add(cell: Cell): void {
    if (this.last === null) this.first = cell;
    else this.last.nextQueued = cell;
    this.last = cell;
  }

  /** Requeues cells of lines that have room again. Call it before taking cells. */
  ease(): void {
    for (let line = 0; line < this.held.length; line++) {
      const held = this.held[line] as Cell[];
      if (held.length === 0 || this.queue.isFull(line)) continue;
      this.held[line] = [];
      for (const cell of held) this.add(cell);
    }
  }

  /** Null when no cell can be served now. */
  take(): Cell | null {
    for (let cell = this.first; cell !== null; cell = this.first) {
      this.first = cell.nextQueued;
      if (this.first === null) this.last = null;
      cell.nextQueued = null;
      const line = this.queue.lineOf(cell.shard.id);
      if (!this.queue.isFull(line)) return cell;
      (this.held[line] as Cell[]).push(cell);
    }
    return null;
  }

  /** True when a cell can be served now. */
  get waits(): boolean {
    return this.first !== null;
  }
}
