import type { ActivityHandler } from '../../../actors/runtime/index.ts';
import type { RemovalInput } from '../../../actors/video-job/clip-effects.ts';
import type { JobServices } from '../job-services.ts';

/** Clips that one node removes at once. */
const REMOVALS_RUNNING_MAX = 8;

/**
 * The activity `removal`: removes the bytes of a clip once its row is gone. Without it they would lie until the sweep of
 * blobs that no row refers to, which waits for a day. (spec: catalogue, Video download rules 4; reliability V8)
 */
export function removalHandler(services: () => JobServices): ActivityHandler {
  return {
    runningMax: REMOVALS_RUNNING_MAX,
    runningPerGroupMax: REMOVALS_RUNNING_MAX,
    run: async ({ input }) => {
      const { blob } = input as unknown as RemovalInput;
      return { removed: await services().inference.files.bytes.blobs.remove(blob) };
    },
  };
}
