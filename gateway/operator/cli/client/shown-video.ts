import type { ProgressState } from '../frame/progress.ts';

/** A video job as the public API shows it: what is not established yet has no member. */
export interface ShownVideo {
  readonly id: string;
  readonly status: string;
  readonly generation_id?: string;
  readonly unsigned_urls?: readonly string[];
  readonly clip_durations_seconds?: readonly number[];
  readonly usage?: { readonly cost: number | null; readonly video_seconds?: number };
  readonly error?: { readonly message: string };
  readonly fault?: string;
}

/** `expired` follows `completed`; nothing follows the others. */
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'expired']);

export function hasEnded({ status }: ShownVideo): boolean {
  return ENDED.has(status);
}

/** A render does not tell how far it is: the bar shows the states, and the seconds since the submission. */
export function progressOf(video: ShownVideo, passedMs: number): ProgressState {
  const done = hasEnded(video) ? 1 : video.status === 'in_progress' ? 0.5 : 0;
  return { done, summary: video.status, detail: `${Math.floor(passedMs / 1_000)} s` };
}
