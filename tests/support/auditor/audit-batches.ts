import type { BatchEvidence } from './batch-evidence.ts';
import { eventsAreComplete, eventsAreDurable, eventsFollow } from './batch-feed.ts';
import {
  badBodiesFailAlone,
  chargedIsNotSent,
  chargesAreTheLines,
  deadKeysSendNothing,
  everyLineFinishes,
  everyLineOnce,
  flightsAreBounded,
  oldestRunFirst,
  repliesAreBounded,
  serverMeansLostKey,
} from './batch-lines.ts';
import {
  batchesAreKept,
  cancelsRepeat,
  cancelsStop,
  countsAreLines,
  queuesAreBounded,
  resultsAppear,
  statusesFollow,
  strangersAreAlike,
  windowsClose,
} from './batch-status.ts';
import { joinBatches } from './batches-joined.ts';
import type { Check } from './check.ts';
import type { Joined } from './joined.ts';

/** The rules of batches and of the events about them. Some need what only some runs do. */
export function auditBatches(evidence: BatchEvidence, joined: Joined): readonly Check[] {
  const batches = joinBatches(evidence, joined);
  const { cancels, revoked, strangers, zombieMs = 0 } = evidence;
  const slackMs = joined.evidence.clockSlackMs + zombieMs;
  return [
    batchesAreKept(evidence),
    ...[statusesFollow, everyLineOnce, chargesAreTheLines].map((check) => check(batches)),
    everyLineFinishes(evidence, batches),
    flightsAreBounded(evidence, batches),
    ...[oldestRunFirst, repliesAreBounded, countsAreLines].map((check) => check(batches)),
    ...[badBodiesFailAlone, resultsAppear].map((check) => check(batches)),
    chargedIsNotSent(batches, slackMs),
    serverMeansLostKey(evidence, batches),
    queuesAreBounded(evidence, batches),
    windowsClose(evidence, batches),
    ...(cancels.length === 0 ? [] : [cancelsStop(evidence, batches, slackMs), cancelsRepeat(evidence, batches)]),
    ...(revoked.length === 0 ? [] : [deadKeysSendNothing(evidence, batches)]),
    ...(evidence.seen === undefined
      ? []
      : [eventsFollow(evidence), eventsAreDurable(evidence, batches), eventsAreComplete(evidence, batches)]),
    ...(strangers.length === 0 ? [] : [strangersAreAlike(evidence)]),
  ];
}
