import type { BatchEvidence, BatchPoll } from './batch-evidence.ts';
import { type BatchJoined, TERMINAL } from './batches-joined.ts';
import { type Check, Checking } from './check.ts';

/** The statuses that may follow each one; polls can skip some. (rule B12) */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  validating: ['validating', 'in_progress', 'cancelling', 'completed', 'failed', 'expired', 'cancelled'],
  in_progress: ['in_progress', 'cancelling', 'completed', 'failed', 'expired', 'cancelled'],
  // The window can close while what ran settles.
  cancelling: ['cancelling', 'cancelled'],
  completed: ['completed'],
  failed: ['failed'],
  expired: ['expired'],
  cancelled: ['cancelled'],
};
type BatchState = Pick<BatchPoll, 'status' | 'counts'>;
const ACTIVE_MAX = 10;
const CANCEL_MS = 2_000;
const WINDOW_SLACK_MS = 5_000;

/** An acknowledged batch is listed at the end; a refused one is not. */
export function batchesAreKept({ submissions, listed }: BatchEvidence): Check {
  const check = new Checking('rule B6', 'an acknowledged batch is never lost, a refused one never appears');
  const known = new Set(listed.map(({ id }) => id));
  for (const { id, name } of submissions) if (id !== null) check.expect(known.has(id), () => `${name} ${id}: lost`);
  for (const account of new Set(submissions.map((each) => each.account))) {
    const own = submissions.filter((each) => each.account === account);
    const acknowledged = new Set(own.map(({ id }) => id));
    const others = listed.filter((each) => each.account === account && !acknowledged.has(each.id)).length;
    const unknown = own.filter(({ status }) => status === null || status >= 500).length;
    check.expect(others <= unknown, () => `${account}: ${others} batches of ${unknown} submissions without an answer`);
  }
  return check.done();
}

/** Only the edges of the table, final ends, counts that never fall, and `finalized_at` with the end only. */
export function statusesFollow(batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B12', 'batch statuses follow the table, counts never fall');
  for (const { submission, polls, lines } of batches) {
    // A reply that its lost key does not open any more was counted as completed until the end.
    const lost = lines.filter(
      ({ result, charges }) => result?.line.error?.type === 'server' && charges.length > 0,
    ).length;
    for (const [at, poll] of polls.entries()) {
      const name = `${submission.id} at ${poll.at}`;
      const ended = TERMINAL.has(poll.status);
      check.expect((poll.finalizedAt !== null) === ended, () => `${name}: ${poll.status}, ends ${poll.finalizedAt}`);
      const before = polls.slice(0, at).findLast((each) => each.endAt <= poll.at);
      if (before !== undefined)
        check.expect(follows(before, poll, lost), () => `${name}: ${shown(before)}, ${shown(poll)}`);
    }
  }
  return check.done();
}

/** An account has at most 10 batches that wait or run; the refusal names limit and active. */
export function queuesAreBounded({ submissions }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B7', 'at most 10 batches wait or run; the 11th is refused with limit and active');
  for (const { queue, status, name } of submissions) {
    if (status !== 429) continue;
    const named = queue !== null && queue.limit === ACTIVE_MAX && queue.active === ACTIVE_MAX;
    check.expect(named, () => `${name}: 429 with ${JSON.stringify(queue)}`);
  }
  for (const { submission } of batches) {
    const at = submission.endAt;
    const active = batches.filter(
      (each) =>
        each.submission.account === submission.account && each.submission.endAt <= at && !certainlyEnded(each, at),
    );
    const certain = active.filter(({ polls }) => polls.some((poll) => poll.at >= at && !TERMINAL.has(poll.status)));
    check.expect(certain.length <= ACTIVE_MAX, () => `${submission.account}: ${certain.length} batches at ${at}`);
  }
  return check.done();
}

/** After an acknowledged cancel no line is sent, and what did not finish is `batch_cancelled`. */
export function cancelsStop({ cancels }: BatchEvidence, batches: readonly BatchJoined[], slackMs: number): Check {
  const check = new Checking('rule B25', 'a cancelled batch sends nothing more');
  for (const { submission, lines, end } of batches) {
    const cancel = cancels.find((each) => each.id === submission.id && each.status === 200);
    if (cancel === undefined) continue;
    check.expect(end === null || end.status === 'cancelled', () => `${submission.id}: cancelled, ended ${end?.status}`);
    for (const { sent, calls, result, charges } of lines) {
      const late = calls.filter(({ startAt }) => startAt > cancel.endAt + CANCEL_MS + slackMs);
      check.expect(late.length === 0, () => `${sent.customId}: sent ${late.length} times after the cancel`);
      const error = result?.line.error ?? null;
      if (error === null || sent.refused !== null) continue;
      const charged = charges.some(({ generation }) => generation === error.request_id);
      check.expect(
        error.type !== 'batch_cancelled' || (error.request_id === null ? charges.length === 0 : charged),
        () => `${sent.customId}: ${error.type}, names ${error.request_id}, ${charges.length} charges`,
      );
    }
  }
  return check.done();
}

/** A second cancel returns the batch; the cancel of an ended one is 409. */
export function cancelsRepeat({ cancels }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B26', 'a repeated cancel returns the batch; one of an ended batch is 409');
  const ends = new Map(batches.map(({ submission, end }) => [submission.id, end]));
  for (const cancel of cancels) {
    const { id, status, batch } = cancel;
    // 408: a node that was stopped did not get the request in time, and did nothing.
    if (status === null || status === 408 || status >= 500) continue;
    const end = ends.get(id);
    const before = cancels.find((each) => each.id === id && each.status === 200 && each.endAt <= cancel.at);
    const over = end && end.endAt <= cancel.at && end.status !== 'cancelled';
    if (before) check.expect(status === 200, () => `${id}: the second cancel was answered ${status}`);
    else if (over) check.expect(status === 409, () => `${id}: ${end.status}, its cancel was answered ${status}`);
    else check.expect(status === 200 || status === 409, () => `${id}: cancel answered ${status}`);
    if (status === 200) check.expect(batch === 'cancelling' || batch === 'cancelled', () => `${id}: shown as ${batch}`);
  }
  return check.done();
}

/** A batch is `expired` once its window closes, and not before. */
export function windowsClose({ windowMs }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B24', 'a batch expires when its window closes');
  for (const { submission, polls } of batches) {
    for (const poll of polls) {
      const early = poll.endAt < submission.at + windowMs - WINDOW_SLACK_MS;
      check.expect(!early || poll.status !== 'expired', () => `${submission.id}: expired at ${poll.endAt}`);
      const late = poll.at > submission.endAt + windowMs + WINDOW_SLACK_MS;
      check.expect(!late || poll.status !== 'validating', () => `${submission.id}: waits at ${poll.at}`);
    }
  }
  return check.done();
}

/** The counts are those of the result lines. */
export function countsAreLines(batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B29', 'request_counts agree with the result lines');
  for (const { submission, polls, end, results } of batches) {
    for (const { counts, at } of polls) {
      const whole = counts.total === submission.lines.length && counts.completed + counts.failed <= counts.total;
      check.expect(whole, () => `${submission.id} at ${at}: ${JSON.stringify(counts)}`);
    }
    if (end === null || results === null) continue;
    const completed = results.filter(({ line }) => line.response !== null).length;
    const unsent = results.filter(({ line }) => line.error !== null && isUnsent(line.error)).length;
    const { counts } = end;
    check.expect(counts.completed === completed, () => `${submission.id}: ${counts.completed}, replies ${completed}`);
    const left = counts.total - counts.completed - counts.failed;
    check.expect(left === unsent, () => `${submission.id}: ${left} not run, ${unsent} lines say so`);
  }
  return check.done();
}

/** An ended batch has its results until they end; a running one has none. */
export function resultsAppear(batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B30', 'results appear with the end of a batch');
  for (const { submission, polls } of batches) {
    for (const { status, results, at } of polls) {
      if (!TERMINAL.has(status)) check.expect(results === null, () => `${submission.id} at ${at}: ${status}, results`);
    }
  }
  return check.done();
}

/** Another account's, malformed and unknown ids get one 404. A node that was stopped may find the request late: 408. */
export function strangersAreAlike({ strangers }: BatchEvidence): Check {
  const check = new Checking('rule B34', 'unknown, malformed and other accounts’ batches get one 404');
  const first = strangers.find(({ status }) => status === 404)?.body;
  for (const { id, status, body } of strangers) {
    if (status === null || status === 408 || status >= 500) continue;
    check.expect(status === 404 && body === first, () => `${id}: ${status} ${body}`);
  }
  return check.done();
}

/** A line without room in the results file is unsent too, but it failed. (rule B31) */
function isUnsent({ type }: { readonly type: string }): boolean {
  return type === 'batch_cancelled' || type === 'batch_expired';
}

/** True if a batch may have gone from one state to the other, or has not changed; `lost` replies no longer open at its end. */
export function follows(before: BatchState, poll: BatchState, lost = 0): boolean {
  const { counts: a } = before;
  const { counts: b } = poll;
  const grows =
    a.completed <= b.completed + (TERMINAL.has(poll.status) ? lost : 0) && a.failed <= b.failed && a.total === b.total;
  return grows && (AFTER[before.status] ?? []).includes(poll.status);
}

export function shown({ status, counts }: BatchState): string {
  return `${status} ${counts.completed}+${counts.failed}/${counts.total}`;
}

function certainlyEnded({ end }: BatchJoined, at: number): boolean {
  return end !== null && end.endAt <= at;
}
