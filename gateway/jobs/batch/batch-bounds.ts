import type { BatchBounds } from '../../../actors/batch/events.ts';
import type { ClusterConfig } from '../../terms/config.ts';

/** The bounds that a new batch keeps to its end, whatever the configuration becomes meanwhile. */
export function batchBounds({ batches, files, upstream }: ClusterConfig): BatchBounds {
  return {
    resultsBytesMax: files.fileBytesMax,
    resultsLifetimeMs: files.lifetimeMs,
    retentionMs: batches.retentionMs,
    lineMs: upstream.totalMs + upstream.holdSlackMs,
  };
}
