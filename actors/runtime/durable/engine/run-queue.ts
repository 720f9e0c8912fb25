import type { Cell } from '../../actor/cell.ts';
import type { CommitQueue } from '../commit/commit-queue.ts';

/**
 * The cells that have something to do, in turn. One whose entries would go into a line of the commit queue that is full
 * waits apart until there is room, and holds up nobody of another line. Each cell stands in it once at most.
 */
export class RunQueue {
  private readonly queue: Pick<CommitQueue, 'lineOf' | 'isFull' | 'lineCount'>;
  /** Linked through the cells themselves. */
  private first: Cell | null = null;
  private last: Cell | null = null;
  /** By line. */
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

  /** Cells of lines that have room again stand in turn again. To be called before cells are taken. */
  ease(): void {
    for (let line = 0; line < this.held.length; line++) {
      const held = this.held[line] as Cell[];
      if (held.length === 0 || this.queue.isFull(line)) continue;
      this.held[line] = [];
      for (const cell of held) this.add(cell);
    }
  }

  /** Null when nobody is left who could be served now. */
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

  /** True when somebody waits who could be served now. */
  get waits(): boolean {
    return this.first !== null;
  }
}
