/** Video jobs as the rules describe them: states, charges, clips and downloads, without rows or timers. */

export interface ModelJob {
  readonly nth: number;
  status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'expired';
  readonly createdAt: number;
  /** The current attempt; `waiting` until a failed one is repeated. */
  attempt: number;
  waiting: boolean;
  hasRemote: boolean;
  aborting: boolean;
  renderedAt: number;
  cost: bigint;
  fetched: boolean;
  deliveredAt: number | null;
  hasClip: boolean;
  readonly readers: Map<string, { readonly node: string; readonly until: number }>;
}

interface ModelBounds {
  readonly jobMs: number;
  readonly windowMs: number;
  readonly deliveredMs: number;
  readonly downloadMs: number;
  readonly downloadsMax: number;
}

export class VideoModel {
  readonly jobs: ModelJob[] = [];
  readonly #bounds: ModelBounds;

  constructor(bounds: ModelBounds) {
    this.#bounds = bounds;
  }

  submit(nth: number, createdAt: number): void {
    this.jobs.push({
      ...{ nth, status: 'pending', createdAt, attempt: 1, waiting: false, hasRemote: false, aborting: false },
      ...{ renderedAt: 0, cost: 0n, fetched: false, deliveredAt: null, hasClip: false, readers: new Map() },
    });
  }

  /** Jobs that hold money: exactly those that have not ended. */
  get open(): readonly ModelJob[] {
    return this.jobs.filter(({ status }) => status === 'pending' || status === 'in_progress');
  }

  begin(job: ModelJob, attempt: number): boolean {
    if (!this.open.includes(job) || job.aborting || job.waiting || attempt !== job.attempt) return false;
    job.status = 'in_progress';
    return true;
  }

  accept(job: ModelJob, attempt: number): boolean {
    if (job.status !== 'in_progress' || job.aborting || attempt !== job.attempt) return false;
    job.hasRemote = true;
    return true;
  }

  interrupt(job: ModelJob, waiting: boolean): void {
    Object.assign(job, { status: 'pending', attempt: job.attempt + 1, waiting });
  }

  end(job: ModelJob, status: 'completed' | 'failed', at: number, cost: bigint): void {
    Object.assign(job, { status, cost, hasClip: status === 'completed', renderedAt: at });
  }

  /** The shown status after a cancel; null where it is refused. */
  cancel(job: ModelJob): string | null {
    if (job.status === 'cancelled') return 'cancelled';
    if (!this.open.includes(job)) return null;
    if (job.hasRemote) job.aborting = true;
    job.status = job.hasRemote ? 'in_progress' : 'cancelled';
    return job.status;
  }

  aborted(job: ModelJob, cost: bigint): void {
    Object.assign(job, { status: 'cancelled', cost });
  }

  /** `open`, or the status that refuses. */
  openClip(job: ModelJob, reader: string, node: string, at: number): 'open' | 409 | 410 | 429 {
    if (job.status === 'expired') return 410;
    if (job.status !== 'completed') return 409;
    if (!job.hasClip || this.#isOver(job, at)) return 410;
    if (!job.readers.has(reader) && job.readers.size >= this.#bounds.downloadsMax) return 429;
    job.readers.set(reader, { node, until: at + this.#bounds.downloadMs });
    job.fetched = true;
    return 'open';
  }

  closeClip(job: ModelJob, reader: string, delivered: boolean, at: number): void {
    if (job.readers.delete(reader) && delivered) job.deliveredAt ??= at;
    this.#sweep(job, at);
  }

  lose(node: string, at: number): void {
    for (const job of this.jobs) {
      for (const [reader, { node: at }] of job.readers) if (at === node) job.readers.delete(reader);
      this.#sweep(job, at);
    }
  }

  /** What time alone changes. */
  tick(at: number): void {
    for (const job of this.jobs) {
      const isOpen = this.open.includes(job);
      if (isOpen && at >= job.createdAt + this.#bounds.jobMs) job.status = job.aborting ? 'cancelled' : 'failed';
      for (const [reader, { until }] of job.readers) if (at >= until) job.readers.delete(reader);
      this.#sweep(job, at);
      const isClosed = job.status === 'completed' && at >= job.renderedAt + this.#bounds.windowMs;
      if (isClosed && !job.fetched) job.status = 'expired';
    }
  }

  #sweep(job: ModelJob, at: number): void {
    if (job.readers.size === 0 && this.#isOver(job, at)) job.hasClip = false;
  }

  #isOver({ renderedAt, deliveredAt }: ModelJob, at: number): boolean {
    const { windowMs, deliveredMs } = this.#bounds;
    return at >= renderedAt + windowMs || (deliveredAt !== null && at >= deliveredAt + deliveredMs);
  }
}
