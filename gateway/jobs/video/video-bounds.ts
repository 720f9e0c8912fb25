import type { VideoBounds } from '../../../actors/video-job/events.ts';
import type { ClusterConfig } from '../../terms/config.ts';

/** The bounds that a new job keeps to its end, whatever the configuration becomes meanwhile. */
export function videoBounds({ videos }: Pick<ClusterConfig, 'videos'>): VideoBounds {
  const { jobMs, holdSlackMs, windowMs, deliveredMs, downloadMs, downloadsMax, retentionMs } = videos;
  return { jobMs, holdSlackMs, windowMs, deliveredMs, downloadMs, downloadsMax, retentionMs };
}
