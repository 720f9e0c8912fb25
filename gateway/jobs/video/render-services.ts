import type { Clock, Counts, SealPlace, Semaphore } from '../../../actors/runtime/index.ts';
import type { RenderInput } from '../../../actors/video-job/render.ts';
import type { OutboundLimits } from '../../outbound/outbound.ts';
import type { UpstreamLimits } from '../../terms/config/config.ts';
import type { RenderLimits } from '../../terms/config/render-limits.ts';
import type { RenderServices } from '../job-services.ts';

const ANSWER_BYTES_MAX = 64 * 1024;

/** The limits of the calls about one render. */
interface RenderCallLimits {
  readonly create: OutboundLimits;
  readonly poll: OutboundLimits;
  readonly clip: OutboundLimits;
}

/** `isSync`: the answer to the create is the clip, so its first byte comes once it is rendered. */
export function renderCallLimits(renders: RenderLimits, upstream: UpstreamLimits, isSync: boolean): RenderCallLimits {
  const { connectMs, idleMs } = upstream;
  const answer = { connectMs, idleMs, bodyBytesMax: ANSWER_BYTES_MAX };
  const firstByteMs = isSync ? renders.renderMs : renders.createMs;
  const clipMs = isSync ? renders.renderMs + renders.clipMs : renders.clipMs;
  return {
    create: { ...answer, firstByteMs: renders.createMs, totalMs: 2 * renders.createMs },
    poll: { ...answer, firstByteMs: renders.pollAnswerMs, totalMs: 2 * renders.pollAnswerMs },
    clip: { connectMs, idleMs, firstByteMs, totalMs: clipMs, bodyBytesMax: renders.clipBytesMax },
  };
}

/** Resolves after that time, or rejects with the signal's reason once it aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return void reject(signal.reason);
    const cut = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', cut);
      resolve();
    });
    signal.addEventListener('abort', cut, { once: true });
  });
}

/** What the renders of one node share. */
export interface RenderNode {
  readonly services: RenderServices;
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
  readonly place: SealPlace;
}
