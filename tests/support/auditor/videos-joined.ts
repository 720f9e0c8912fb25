import type { ContentSeen, VideoEvidence, VideoPoll, VideoSubmission } from './video-evidence.ts';

/** Statuses after which only `expired` can follow, and only `completed` has a successor. */
export const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled', 'expired']);

/** An accepted job with everything that was seen of it. */
export interface VideoJoined {
  readonly id: string;
  readonly submission: VideoSubmission;
  /** In the order of their ends. */
  readonly polls: readonly VideoPoll[];
  /** The last one; null if it was never seen. */
  readonly last: VideoPoll | null;
  readonly contents: readonly ContentSeen[];
  readonly isCancelled: boolean;
  /** It failed because its deadline had passed. */
  readonly isLate: boolean;
  /** Charges of its generation. */
  readonly charged: readonly string[];
}

export function joinVideos({
  submissions,
  polls,
  contents,
  cancels,
  charges,
  ...evidence
}: VideoEvidence): readonly VideoJoined[] {
  return submissions.flatMap((submission) => {
    const { id } = submission;
    if (id === null) return [];
    const own = polls.filter((poll) => poll.id === id).toSorted((a, b) => a.endAt - b.endAt);
    const generations = new Set(own.flatMap(({ document }) => document.generation_id ?? []));
    return {
      ...{ id, submission, polls: own, last: own.at(-1) ?? null },
      contents: contents.filter((content) => content.id === id),
      isCancelled: cancels.some((cancel) => cancel.id === id && cancel.status !== 409),
      isLate: isLate(own.at(-1), submission, evidence),
      charged: charges.filter(({ generation }) => generations.has(generation)).map(({ amount }) => amount),
    };
  });
}

function isLate(
  last: VideoPoll | undefined,
  { at }: VideoSubmission,
  { jobMs, slackMs }: Pick<VideoEvidence, 'jobMs' | 'slackMs'>,
): boolean {
  return last?.document.error?.error_type === 'timeout' && jobMs !== undefined && last.endAt >= at + jobMs - slackMs;
}

/** True if some bytes of a clip arrived by this download. */
export function isFetch({ way, status, bytes }: ContentSeen): boolean {
  return way !== 'head' && (status === 200 || status === 206) && bytes > 0;
}
