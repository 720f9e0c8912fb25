import type { Holds } from '../calls/holds.ts';
import { clip } from './clip.ts';
import type { Movie } from './mp4.ts';
import type { RenderOrder } from './video-request.ts';

const JOBS_MAX = 20_000;
/** The share of the render time in which a job has not begun. */
const PENDING_SHARE = 0.2;

/** One render at this provider. */
export interface VideoJob {
  readonly id: string;
  readonly order: RenderOrder;
  readonly createdAt: number;
  /** With `hold` in its directive it is not completed before the release. */
  readonly holds: Holds;
  cancelledAt: number | null;
  polls: number;
}

/** The jobs of one simulated provider, oldest first; the oldest are forgotten. */
export class VideoJobs {
  readonly #jobs = new Map<string, VideoJob>();
  readonly #byKey = new Map<string, VideoJob>();
  readonly #provider: string;
  readonly #holds: Holds;
  #made = 0;

  constructor(provider: string, holds: Holds) {
    this.#provider = provider;
    this.#holds = holds;
  }

  /** A repeat of an idempotency key returns the job that it made. */
  create(order: RenderOrder, idempotencyKey: string | null): { readonly job: VideoJob; readonly repeated: boolean } {
    const keyed = order.directive.idempotent !== false && idempotencyKey !== null;
    const known = keyed ? this.#byKey.get(idempotencyKey) : undefined;
    if (known !== undefined) return { job: known, repeated: true };
    const id = `video_${this.#provider}_${process.pid.toString(36)}_${++this.#made}`;
    const job: VideoJob = { id, order, createdAt: Date.now(), holds: this.#holds, cancelledAt: null, polls: 0 };
    this.#jobs.set(id, job);
    if (keyed) this.#byKey.set(idempotencyKey, job);
    forgetOldest(this.#jobs);
    forgetOldest(this.#byKey);
    return { job, repeated: false };
  }

  find(id: string): VideoJob | null {
    return this.#jobs.get(id) ?? null;
  }
}

function forgetOldest(jobs: Map<string, VideoJob>): void {
  const [oldest] = jobs.keys();
  if (jobs.size > JOBS_MAX && oldest !== undefined) jobs.delete(oldest);
}

export function statusOf({ order, createdAt, cancelledAt, holds }: VideoJob): string {
  if (cancelledAt !== null) return 'cancelled';
  const passed = Date.now() - createdAt;
  if (passed < order.renderMs * PENDING_SHARE) return 'queued';
  if (passed < order.renderMs || holds.isHeld(order.directive.hold)) return 'in_progress';
  return order.directive.fail === undefined ? 'completed' : 'failed';
}

/** The job as the provider shows it. */
export function shownJob(job: VideoJob): object {
  const status = statusOf(job);
  const { directive } = job.order;
  const seconds = directive.cancelled_seconds;
  return {
    id: job.id,
    status,
    ...(status === 'failed'
      ? { error: { code: directive.fail, message: `the render failed: ${directive.fail}` } }
      : {}),
    ...(status === 'completed' ? { unsigned_urls: [`/v1/videos/${job.id}/content?index=0`] } : {}),
    ...(status === 'cancelled' && seconds !== undefined ? { usage: { video_seconds: seconds } } : {}),
  };
}

export function clipOf({ directive, seconds, fps, width, height, audio }: RenderOrder): Movie {
  return clip({
    seconds,
    fps,
    width,
    height,
    audio,
    bytesMin: directive.bytes ?? 0,
    headLast: directive.head_last ?? false,
  });
}
