/** What batches and their account's queue must do, in as few lines as possible: no rows, no money, no chart. */

type Line = 'unsent' | 'running' | 'waiting' | 'completed' | 'failed';
type Status = 'active' | 'expiring' | 'cancelling' | 'completed' | 'failed' | 'expired' | 'cancelled';

export interface ModelBatch {
  readonly nth: number;
  readonly lines: Line[];
  /** Every body was refused. */
  readonly isRefused: boolean;
  status: Status;
  /** A line was sent. */
  began: boolean;
  /** The results are being written. */
  writing: boolean;
}

const ACTIVE_MAX = 10;
const SLOTS = 8;

export class BatchModel {
  /** In the order of their ids. */
  readonly batches: ModelBatch[] = [];

  get active(): ModelBatch[] {
    return this.batches.filter(({ status }) => ['active', 'expiring', 'cancelling'].includes(status));
  }

  /** False: an account has at most ten active batches. */
  submit(nth: number, refused: readonly boolean[]): boolean {
    if (this.active.length === ACTIVE_MAX) return false;
    const lines = refused.map((isRefused): Line => (isRefused ? 'failed' : 'unsent'));
    this.batches.push({
      nth,
      lines,
      isRefused: !refused.includes(false),
      status: 'active',
      began: false,
      writing: false,
    });
    this.#settle();
    return true;
  }

  end(batch: ModelBatch, line: number, as: 'completed' | 'failed'): void {
    batch.lines[line] = as;
    this.#settle();
  }

  /** The attempt failed: it is repeated, unless the window is closed. */
  fail(batch: ModelBatch, line: number): void {
    batch.lines[line] = batch.status === 'expiring' ? 'unsent' : 'waiting';
    this.#settle();
  }

  retry(batch: ModelBatch, line: number): void {
    batch.lines[line] = 'running';
  }

  cancel(batch: ModelBatch): void {
    if (!['active', 'expiring'].includes(batch.status)) return;
    batch.status = 'cancelling';
    batch.lines.forEach((line, index) => {
      if (line === 'running' || line === 'waiting') batch.lines[index] = 'unsent';
    });
    this.#settle();
  }

  expire(batch: ModelBatch): void {
    if (batch.status !== 'active' || batch.writing) return;
    batch.status = 'expiring';
    batch.lines.forEach((line, index) => {
      if (line === 'waiting') batch.lines[index] = 'unsent';
    });
    this.#settle();
  }

  written(batch: ModelBatch): void {
    const ended = { active: 'completed', expiring: 'expired', cancelling: 'cancelled' } as const;
    const isFailed = batch.status === 'active' && batch.isRefused;
    batch.status = isFailed ? 'failed' : ended[batch.status as keyof typeof ended];
    batch.writing = false;
  }

  /** Gives the free slots to the oldest batches, and finds those without work left. */
  #settle(): void {
    let free = SLOTS - this.active.reduce((used, batch) => used + usedBy(batch), 0);
    for (const batch of this.active) {
      if (batch.status === 'active') {
        for (let next = batch.lines.indexOf('unsent'); next >= 0 && free > 0; next = batch.lines.indexOf('unsent')) {
          batch.lines[next] = 'running';
          batch.began = true;
          free--;
        }
      }
      const isDone = usedBy(batch) === 0 && (batch.status !== 'active' || !batch.lines.includes('unsent'));
      if (isDone) batch.writing = true;
    }
  }
}

function usedBy({ lines }: ModelBatch): number {
  return lines.filter((line) => line === 'running' || line === 'waiting').length;
}
