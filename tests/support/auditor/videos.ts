import { amount, cost, text } from './amount.ts';
import { type Check, Checking } from './check.ts';
import type { VideoDocument, VideoEvidence } from './video-evidence.ts';
import { ENDED, isFetch, type VideoJoined } from './videos-joined.ts';

/** The statuses that may follow each one; polls can skip some. (rule V1) */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  pending: ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'expired'],
  in_progress: ['in_progress', 'pending', 'completed', 'failed', 'cancelled', 'expired'],
  completed: ['completed', 'expired'],
  failed: ['failed'],
  cancelled: ['cancelled'],
  expired: ['expired'],
};

/** A 202 job is never lost, and its statuses follow the table. */
export function jobsAreKept({ listed }: VideoEvidence, jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V1', 'an accepted job is never lost, its statuses follow the table');
  const known = new Set(listed.map(({ id }) => id));
  for (const { id, polls } of jobs) {
    check.expect(known.has(id), () => `${id}: lost`);
    for (const [at, poll] of polls.entries()) {
      const before = polls.slice(0, at).findLast((each) => each.endAt <= poll.at);
      if (before === undefined) continue;
      const [from, to] = [before.document.status, poll.document.status];
      check.expect((AFTER[from] ?? []).includes(to), () => `${id}: ${from}, then ${to} at ${poll.at}`);
    }
  }
  return check.done();
}

/** At most one render of a job is charged, and a job that shows no usage is not charged. */
export function rendersAreChargedOnce(jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V21', 'at most one render charged per job');
  for (const { id, last, charged } of jobs) {
    const paid = charged.filter((each) => amount(each) !== 0n);
    const shown = last?.document.usage === undefined ? 0 : 1;
    check.expect(charged.length <= 1, () => `${id}: ${charged.length} charges`);
    check.expect(paid.length <= shown, () => `${id}: charged ${paid.join(', ')}, shows no usage`);
  }
  return check.done();
}

/** A job ends whatever dies, as its provider decided; what was interrupted before its charge is rendered again. */
export function jobsFinish(jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V22', 'an interrupted render is repeated, and every job ends');
  for (const { id, last, submission, isCancelled, isLate } of jobs) {
    const status = last?.document.status ?? 'never seen';
    check.expect(ENDED.has(status), () => `${id}: ${status} at the end`);
    const expected = isCancelled || isLate || last?.document.fault === 'marketplace';
    const as = status === 'expired' ? 'completed' : status;
    check.expect(expected || as === submission.expects, () => `${id}: ${status}, expected ${submission.expects}`);
    check.expect(isCancelled || status !== 'cancelled', () => `${id}: cancelled by nobody`);
  }
  return check.done();
}

/**
 * A job whose result was lost after the charge is `failed` by the marketplace's fault and shows the charge. Without
 * a charge the fault is that of a service that could not render in time, and there is no usage.
 */
export function faultsAreShown(jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V23', 'charged but not stored: failed, fault of the marketplace, usage shown');
  for (const { id, last, charged } of jobs) {
    if (last === null) continue;
    const { status, fault, usage, error } = last.document;
    const lost = status === 'failed' && charged.some((each) => amount(each) !== 0n);
    const name = `${id}: ${status}, fault ${fault}, charged ${charged}`;
    check.expect(!lost || fault === 'marketplace', () => name);
    check.expect(fault === undefined || (usage !== undefined) === lost, () => `${name}, usage ${usage?.cost}`);
    const isOurs = lost || error?.error_type === 'server';
    check.expect(fault === undefined || isOurs, () => `${name}: ${error?.error_type}`);
  }
  return check.done();
}

/** A member is absent until it is known, and never null or empty. */
export function membersAreFacts(jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V29', 'a member appears once it is known');
  for (const { id, polls } of jobs) {
    for (const { document, at } of polls) {
      for (const flaw of flawsOf(document)) check.expect(false, () => `${id} at ${at}: ${flaw}`);
      check.expect(document.id === id, () => `${id}: the document is of ${document.id}`);
    }
  }
  return check.done();
}

function flawsOf(document: VideoDocument): readonly string[] {
  const { status, generation_id, unsigned_urls, clip_durations_seconds, usage, error, fault } = document;
  const rendered = status === 'completed' || status === 'expired';
  const rules: readonly (readonly [boolean, string])[] = [
    [Object.values(document).includes(null as never), 'a member is null'],
    [rendered && generation_id === undefined, 'no generation_id'],
    [rendered !== (unsigned_urls !== undefined), `unsigned_urls of a ${status} job`],
    [rendered !== (clip_durations_seconds !== undefined), `clip_durations_seconds of a ${status} job`],
    [unsigned_urls?.length === 0, 'empty unsigned_urls'],
    [rendered && usage === undefined, 'no usage'],
    [(status === 'pending' || status === 'in_progress') && usage !== undefined, `usage of a ${status} job`],
    [(status === 'failed') !== (error !== undefined), `error of a ${status} job`],
    [fault !== undefined && status !== 'failed', `fault of a ${status} job`],
  ];
  return rules.flatMap(([broken, flaw]) => (broken ? [flaw] : []));
}

/** Content answers 409 before the end of the render and 410 once the clip is gone. */
export function contentFollowsTheJob(jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V30', 'content: 409 before it exists, 410 once it is gone');
  for (const { id, polls, contents } of jobs) {
    for (const { at, endAt, status } of contents) {
      if (status === null || status >= 500) continue;
      check.expect(status !== 404, () => `${id} at ${at}: a clip that was there is not found`);
      const later = polls.find((poll) => poll.at >= endAt)?.document.status;
      const earlier = polls.findLast((poll) => poll.endAt <= at)?.document.status;
      const name = `${id} at ${at}`;
      if (later === 'pending' || later === 'in_progress')
        check.expect(status === 409, () => `${name}: ${status}, ${later}`);
      else if (earlier === 'expired') check.expect(status === 410, () => `${name}: ${status}, expired`);
      else if (earlier === 'completed') check.expect(status !== 409, () => `${name}: ${status}, completed`);
      else check.expect([200, 206, 409, 410].includes(status), () => `${name}: ${status}`);
    }
  }
  return check.done();
}

/** Whole downloads of one clip have the same bytes. */
export function downloadsAreWhole(jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V32', 'whole downloads of a clip are the same bytes');
  for (const { id, contents } of jobs) {
    const digests = contents.flatMap(({ way, digest }) => (way === 'whole' && digest !== null ? [digest] : []));
    for (const digest of digests) check.expect(digest === digests[0], () => `${id}: ${digest}, before ${digests[0]}`);
  }
  return check.done();
}

/** The clip of a job that is expired, or never completed, is gone. */
export function nothingOutlivesItsWindow({ clips }: VideoEvidence, jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V33', 'nothing generated outlives its window');
  for (const { id, last } of jobs) {
    const status = last?.document.status;
    if (status !== undefined && status !== 'completed')
      check.expect(!clips.has(id), () => `${id}: ${status}, clip kept`);
  }
  return check.done();
}

/** A job fetched from, even in part, never expires; one that was not fetched does, after its window. */
export function fetchedStays({ windowMs, slackMs }: VideoEvidence, jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V34', 'fetched even in part: never expired');
  for (const { id, polls, last, contents } of jobs) {
    const fetched = contents.some(isFetch);
    const status = last?.document.status;
    if (fetched) check.expect(status === 'completed', () => `${id}: fetched, ${status}`);
    const first = polls.find(({ document }) => document.status === 'completed');
    if (fetched || contents.some(({ status: known }) => known === null) || last === null || first === undefined)
      continue;
    const isDue = last.at > first.endAt + windowMs + slackMs;
    check.expect(!isDue || status === 'expired', () => `${id}: never fetched, ${status} at ${last.at}`);
  }
  return check.done();
}

/** The charge is the frozen rate times the measured seconds; what failed for the provider's fault is free. */
export function secondsAreCharged({ rates }: VideoEvidence, jobs: readonly VideoJoined[]): Check {
  const check = new Checking('rule V15', 'charge = frozen rate x measured seconds');
  for (const { id, last, charged, submission } of jobs) {
    const seconds = last?.document.clip_durations_seconds;
    if (seconds === undefined) continue;
    const rate = rates[submission.model] ?? '0';
    const expected = cost(seconds.map((each) => ({ rate, units: String(each) })));
    const paid = charged.reduce((sum, each) => sum + amount(each), 0n);
    check.expect(
      paid === expected,
      () => `${id}: charged ${text(paid)}, ${seconds} s at ${rate} are ${text(expected)}`,
    );
    const shown = last?.cost ?? '0';
    check.expect(amount(shown) === paid, () => `${id}: shows ${shown}, charged ${text(paid)}`);
  }
  return check.done();
}
