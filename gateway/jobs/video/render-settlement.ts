import type { AttemptRecord, Settlement } from '../../../actors/terms/hold.ts';
import { chargeOf } from '../../../actors/terms/usd.ts';
import type { FrozenCandidate } from '../../../actors/video-job/render-ask.ts';

interface Rendered {
  readonly generation: string;
  readonly candidate: FrozenCandidate;
  /** Exact decimal text. */
  readonly videoSeconds: string;
  readonly upstreamId: string | null;
  readonly cancelled: boolean;
  readonly attempts: readonly AttemptRecord[];
  /** From the beginning of the render until its clip was stored, ms. */
  readonly generationMs: number | null;
}

/**
 * The charge of rendered video: the rate that was frozen at the submission times the measured seconds, floored once.
 * Without a declared rate the seconds are recorded as unpriced. (rule V15)
 */
export function renderSettlement(rendered: Rendered): Settlement {
  const { generation, candidate, videoSeconds, upstreamId, cancelled, attempts, generationMs } = rendered;
  const { rate, endpoint, provider, tariff } = candidate;
  return {
    generation,
    // The job owns its hold and sets both.
    attempt: 1,
    cost: rate === null ? '0' : chargeOf([{ rate, units: videoSeconds }]),
    unpriced: rate === null ? ['video_second'] : [],
    promptTokens: null,
    completionTokens: null,
    cachedTokens: null,
    reasoningTokens: null,
    media: { videoSeconds },
    estimated: false,
    finishReason: null,
    nativeFinishReason: null,
    upstreamId,
    cancelled,
    latencyMs: null,
    generationMs,
    attempts,
    served: { endpoint, provider: provider.name, tariff },
  };
}
