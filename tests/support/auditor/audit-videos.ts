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

/** The rules V1 to V9, M13 and W1 to W5. */
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
