import type { Clock } from '../../actors/runtime/index.ts';
import config from '../../cluster.config.ts';
import { Background } from '../../gateway/overload/background.ts';
import type { JobPace } from '../../gateway/overload/job-pace.ts';

/** The background of a node without live requests: nothing rests. */
export function noLiveTraffic(clock: Clock): Background {
  return new Background({
    clock,
    limits: config.overload,
    live: { isPresent: false },
    busyMs: () => clock.monotonic(),
  });
}

/** Jobs begin at once. */
export const atOnce: Pick<JobPace, 'enter'> = { enter: async () => true };
