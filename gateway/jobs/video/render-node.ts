import type { Counts, Place, Semaphore } from '../../../actors/runtime/index.ts';
import type { RenderInput } from '../../../actors/video-job/job-effects.ts';
import type { JobServices } from '../job-services.ts';

/** What the renders of one node share. */
export interface RenderNode {
  readonly services: JobServices;
  /** Clips that are received at once. */
  readonly receiving: Semaphore;
  /** Addresses of the jobs whose provider answers the open call with the clip: no other node can continue these. */
  readonly direct: Set<string>;
  /** Creates by account whose attempt has ended and whose answer is awaited, to abort what they began. */
  readonly outliving: Counts;
}

/** One attempt of the activity `render`. */
export interface RenderTask {
  readonly input: RenderInput;
  readonly signal: AbortSignal;
  /** The place of the clip. */
  readonly place: Place;
}
