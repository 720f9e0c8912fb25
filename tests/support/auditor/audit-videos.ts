import type { Check } from './check.ts';
import { deliveriesAreBounded, eventsAreOnce, eventsFollowCommits, secretsAreStable, signaturesHold } from './hooks.ts';
import type { VideoEvidence } from './video-evidence.ts';
import {
  contentFollowsTheJob,
  downloadsAreWhole,
  faultsAreShown,
  fetchedStays,
  jobsAreKept,
  jobsFinish,
  membersAreFacts,
  nothingOutlivesItsWindow,
  rendersAreChargedOnce,
  secondsAreCharged,
} from './videos.ts';
import { joinVideos } from './videos-joined.ts';

/** Video jobs, their clips, their charges and their webhooks. */
export function auditVideos(evidence: VideoEvidence): readonly Check[] {
  const jobs = joinVideos(evidence);
  return [
    ...[jobsAreKept, nothingOutlivesItsWindow, fetchedStays, secondsAreCharged].map((check) => check(evidence, jobs)),
    ...[rendersAreChargedOnce, jobsFinish, faultsAreShown, membersAreFacts].map((check) => check(jobs)),
    ...[contentFollowsTheJob, downloadsAreWhole].map((check) => check(jobs)),
    ...[eventsAreOnce, eventsFollowCommits, signaturesHold].map((check) => check(evidence, jobs)),
    ...[deliveriesAreBounded, secretsAreStable].map((check) => check(evidence)),
  ];
}
