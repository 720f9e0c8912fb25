import { ActivityFailed, type ActivityHandler, type ActivityTask, type Json } from '../../../actors/runtime/index.ts';
import type { AbortResult } from '../../../actors/video-job/outcome.ts';
import type { AbortInput } from '../../../actors/video-job/render.ts';
import { AttemptCalls } from '../../outbound/attempt-calls.ts';
import { cancelRender, type PolledRender, pollRender, type VideoLine } from '../../providers/video/video-calls.ts';
import type { RenderLimits } from '../../terms/config/render-limits.ts';
import type { RenderServices } from '../job-services.ts';
import { pause, renderCallLimits } from './render-services.ts';
import { renderSettlement } from './render-settlement.ts';

type AbortServices = Pick<RenderServices, 'files' | 'renders' | 'upstream' | 'outbound' | 'targets' | 'measures'>;

/**
 * The activity `abort`: asks the provider of a cancelled job to abort its render, and resolves with the charge of the
 * seconds that it reports; null where it reports none, or the job has ended. (rule V28)
 */
export function abortHandler(services: () => AbortServices, limits: RenderLimits): ActivityHandler {
  return {
    runningMax: limits.runningMax,
    runningPerGroupMax: limits.runningPerAccountMax,
    run: async (task, signal) => (await abortRender(services(), task, signal)) as unknown as Json,
  };
}

async function abortRender(services: AbortServices, task: ActivityTask, signal: AbortSignal): Promise<AbortResult> {
  const input = task.input as unknown as AbortInput;
  const { files, renders, upstream, outbound, targets } = services;
  const { candidate, generation, remote, charged } = input;
  try {
    const line: VideoLine = {
      calls: new AttemptCalls(outbound, signal),
      target: targets.video(candidate.provider.slug, candidate.target),
      limits: renderCallLimits(renders, upstream, false),
    };
    let shown: PolledRender = await cancelRender(line, remote.providerJobId);
    while (shown.status === 'running') {
      await pause(files.clock, renders.pollMsMin, signal);
      shown = await pollRender(line, remote.providerJobId);
    }
    const videoSeconds = atMost(shown.videoSeconds, candidate.admitted.secondsMax);
    if (videoSeconds === null || !charged) return { settlement: null };
    const rendered = { generation, candidate, videoSeconds, upstreamId: remote.providerJobId, cancelled: true };
    const settlement = renderSettlement({ ...rendered, attempts: [], generationMs: null });
    services.measures.charged({ model: candidate.model, provider: candidate.provider.name }, settlement);
    return { settlement };
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw new ActivityFailed('unaborted', thrown instanceof Error ? thrown.message : String(thrown), true);
  }
}

/** A provider's report is believed up to the admitted length; none, or no time at all, is no charge. */
function atMost(reported: string | null, secondsMax: string): string | null {
  if (reported === null || /^0(\.0*)?$/.test(reported)) return null;
  const digits = (text: string): bigint => {
    const [whole = '0', rest = ''] = text.split('.');
    return BigInt(whole + rest.slice(0, 12).padEnd(12, '0'));
  };
  return digits(reported) > digits(secondsMax) ? secondsMax : reported;
}
