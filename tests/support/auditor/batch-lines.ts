import { amount } from './amount.ts';
import type { BatchEvidence } from './batch-evidence.ts';
import type { BatchJoined, LineJoined } from './batches-joined.ts';
import { type Check, Checking } from './check.ts';
import type { CallSeen } from './evidence.ts';

const IN_FLIGHT_MAX = 8;
const REPLY_BYTES_MAX = 1024 * 1024;
/** Envelope of a result line: ids, `custom_id`, and the escapes of the body do not count. */
const LINE_BYTES_MAX = REPLY_BYTES_MAX + 2_048;
const REVOKED_MS = 2_000;
/** A reply may be under way to its row, and a node keeps the key that seals replies for a second. */
const LOST_MS = 1_500;
const MARKS: ReadonlySet<string> = new Set(['batch_cancelled', 'batch_expired', 'results_full', 'server']);

/** One result line per request, in order of submission, with exactly one of response and error. */
export function everyLineOnce(batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B28', 'one result line per request, in order, response or error');
  for (const { submission, results, end } of batches) {
    if (end === null || results === null) continue;
    const names = results.map(({ line }) => line.custom_id);
    const same = names.length === submission.lines.length && names.every((name, at) => name === sentAt(submission, at));
    check.expect(same, () => `${submission.id}: ${names.length} lines of ${submission.lines.length}, or another order`);
    const ids = new Set(results.map(({ line }) => line.id));
    check.expect(ids.size === results.length, () => `${submission.id}: ${results.length - ids.size} ids twice`);
    for (const { line } of results) {
      const one = (line.response === null) !== (line.error === null);
      check.expect(one && /^breq_[0-9a-f]{32}$/.test(line.id), () => `${line.custom_id}: ${JSON.stringify(line)}`);
    }
  }
  return check.done();
}

/** A request that was not charged is sent again after a fault, until it has its outcome. */
export function everyLineFinishes({ revoked, lostKeys }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B16', 'a line that can be answered is answered, whatever dies');
  for (const { submission, end, lines } of batches) {
    check.expect(end !== null, () => `${submission.id}: did not end`);
    const isRevoked = revoked.some(({ key }) => key === submission.key);
    if (end?.status !== 'completed') continue;
    for (const { sent, result } of lines) {
      if (sent.refused !== null || sent.huge) continue;
      const error = result?.line.error;
      // rule B19, rule B31 and rule B23 judge these.
      if (submission.fills && error?.type === 'results_full') continue;
      if (isRevoked && error?.code === 401) continue;
      if (lostKeys.has(submission.id) && error?.type === 'server') continue;
      check.expect(result?.line.response != null, () => `${sent.customId}: ${JSON.stringify(result?.line.error)}`);
    }
  }
  return check.done();
}

/** No call begins for a line that is charged. */
export function chargedIsNotSent(batches: readonly BatchJoined[], slackMs: number): Check {
  const check = new Checking('rule B17', 'a charged line is never sent again');
  for (const { sent, calls, row } of linesOf(batches)) {
    if (row?.settlement == null || row.endedAt === null) continue;
    const chargedAt = row.endedAt;
    const late = calls.filter(({ startAt }) => startAt > chargedAt + slackMs);
    check.expect(late.length === 0, () => `${sent.customId}: sent ${late.length} times after its charge`);
  }
  return check.done();
}

/**
 * Once the sealing key of a batch is destroyed, no line of it is sent, and its lines without a reply and with a
 * reply from before are `server`; the latter name their charge. A line that was at a provider then may end either way.
 */
export function serverMeansLostKey({ lostKeys }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking(
    'rule B19',
    'a `server` line has a lost key, and names its charge; none is sent without its key',
  );
  for (const { submission, lines } of batches) {
    const lostAt = lostKeys.get(submission.id) ?? Number.POSITIVE_INFINITY;
    for (const { sent, result, charges, calls } of lines) {
      const late = calls.filter(({ startAt }) => startAt > lostAt + LOST_MS);
      check.expect(late.length === 0, () => `${sent.customId}: sent although its key was lost`);
      if (result === null || sent.refused !== null) continue;
      const { error } = result.line;
      const certain = calls.every(({ endAt }) => endAt !== null && endAt < lostAt - LOST_MS);
      const isLost = error?.type === 'server';
      if (lostAt < Number.POSITIVE_INFINITY && certain && !sent.huge)
        check.expect(isLost, () => `${sent.customId}: its key was lost, ${JSON.stringify(error)}`);
      if (!isLost) continue;
      const caused = sent.huge || lostAt < Number.POSITIVE_INFINITY;
      check.expect(caused, () => `${sent.customId}: ${error.message}, but its key exists`);
      const named = charges[0]?.generation ?? null;
      check.expect(error.request_id === named, () => `${sent.customId}: names ${error.request_id}, charge ${named}`);
    }
  }
  return check.done();
}

/** Each line has at most one charge, named by its result line and equal to the cost it shows. */
export function chargesAreTheLines(batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B20', 'the charges of a batch are those of its lines, digit for digit');
  for (const { sent, result, charges, row } of linesOf(batches)) {
    check.expect(charges.length <= 1, () => `${sent.customId}: ${charges.length} charges`);
    if (result === null) continue;
    const { line, cost } = result;
    const [charge] = charges;
    if (line.response !== null) {
      const { request_id } = line.response;
      const same = charge !== undefined && charge.generation === request_id && row?.status === 'settled';
      check.expect(same, () => `${sent.customId}: replied under ${request_id}, charge ${charge?.generation}`);
      const exact = cost !== null && charge !== undefined && amount(cost) === amount(charge.amount);
      check.expect(exact, () => `${sent.customId}: shows cost ${cost}, charge ${charge?.amount}`);
    } else if (charge !== undefined && amount(charge.amount) !== 0n) {
      check.expect(
        line.error?.request_id === charge.generation,
        () => `${sent.customId}: ${line.error?.type}, charged ${charge.amount} as ${charge.generation} unnamed`,
      );
    }
  }
  return check.done();
}

/** At most 8 lines of an account are at providers at once. */
export function flightsAreBounded({ zombieMs = 0 }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B15', 'at most 8 lines of an account in flight');
  for (const account of new Set(batches.map(({ submission }) => submission.account))) {
    const own = linesOf(batches.filter(({ submission }) => submission.account === account));
    // Where zombies are frequent, their calls count until the line's hold ended.
    const until = (line: LineJoined): number => (zombieMs > 0 ? line.row?.endedAt : null) ?? Number.POSITIVE_INFINITY;
    const events = own.flatMap((line) => spans(line.calls, until(line))).sort((a, b) => a.at - b.at || a.step - b.step);
    let open = 0;
    for (const { at, step } of events) {
      open += step;
      check.expect(open <= IN_FLIGHT_MAX, () => `${account}: ${open} lines at providers at ${at}`);
    }
  }
  return check.done();
}

/**
 * A younger batch begins only once every line of the older ones has its slot. Those that have one may still wait for
 * a store or a provider, as many as there are other slots.
 */
export function oldestRunFirst(batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B14', 'batches of an account run oldest first');
  const firstCalls = ({ lines }: BatchJoined): readonly number[] =>
    lines.filter(({ calls }) => calls.length > 0).map(({ calls }) => Math.min(...calls.map(({ startAt }) => startAt)));
  for (const later of batches) {
    for (const earlier of batches) {
      if (earlier.submission.account !== later.submission.account) continue;
      // Room for its replies, and not the order of the queue, keeps the lines of a small one waiting.
      if (earlier.submission.fills) continue;
      // Certainly accepted in this order.
      if (earlier.submission.endAt > later.submission.at) continue;
      const began = Math.min(...firstCalls(later));
      const waiting = firstCalls(earlier).filter((at) => at > began).length;
      check.expect(
        waiting < IN_FLIGHT_MAX,
        () => `${later.submission.id} began at ${began}, before ${waiting} lines of the older ${earlier.submission.id}`,
      );
    }
  }
  return check.done();
}

/** Replies are whole and at most 1 MiB; a line without room for it is neither sent nor charged. */
export function repliesAreBounded(batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B31', 'replies of at most 1 MiB; `results_full` is unsent and uncharged');
  for (const { sent, result, calls, charges } of linesOf(batches)) {
    if (result === null) continue;
    check.expect(result.bytes <= LINE_BYTES_MAX, () => `${sent.customId}: a result line of ${result.bytes} bytes`);
    if (sent.huge && result.line.error?.type !== 'batch_cancelled') {
      const { error } = result.line;
      const named = charges.length === 1 && error?.type === 'server' && error.request_id === charges[0]?.generation;
      check.expect(named, () => `${sent.customId}: a reply of over 1 MiB, ${JSON.stringify(error)}`);
    }
    if (result.line.error?.type !== 'results_full') continue;
    const unsent = calls.length === 0 && charges.length === 0;
    check.expect(unsent, () => `${sent.customId}: results_full, ${calls.length} calls, ${charges.length} charges`);
  }
  return check.done();
}

/** A bad body fails alone, with the error of the live route, and reaches no provider. */
export function badBodiesFailAlone(batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B3', 'a bad body fails alone, as its live route would');
  for (const { sent, result, calls } of linesOf(batches)) {
    if (sent.refused === null || result === null) continue;
    const { type, code } = sent.refused;
    const error = result.line.error;
    const same = error !== null && ((error.type === type && error.code === code) || MARKS.has(error.type));
    check.expect(same && calls.length === 0, () => `${sent.customId}: ${JSON.stringify(error)}, ${calls.length} calls`);
  }
  return check.done();
}

/** The lines of a disabled key are not sent any more. */
export function deadKeysSendNothing({ revoked }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B23', 'nothing is sent for a disabled key');
  for (const { key, at } of revoked) {
    for (const { sent, calls, result, charges } of linesOf(
      batches.filter(({ submission }) => submission.key === key),
    )) {
      const error = result?.line.error ?? null;
      if (error !== null && sent.refused === null && calls.length === 0 && !MARKS.has(error.type)) {
        const free = error.code === 401 && charges.length === 0;
        check.expect(free, () => `${sent.customId}: ${JSON.stringify(error)}, ${charges.length} charges`);
      }
      const late = calls.filter(({ startAt }) => startAt > at + REVOKED_MS);
      check.expect(late.length === 0, () => `${sent.customId}: sent after its key was disabled`);
    }
  }
  return check.done();
}

function sentAt({ lines }: BatchJoined['submission'], at: number): string | undefined {
  return lines[at]?.customId;
}

function linesOf(batches: readonly BatchJoined[]): readonly LineJoined[] {
  return batches.flatMap(({ lines }) => lines);
}

/**
 * The begin and the end of each call. The call of a paused node stays open while its line is sent again elsewhere: it
 * counts until the next call of its line. (rule V24)
 */
function spans(calls: readonly CallSeen[], until: number): readonly { readonly at: number; readonly step: 1 | -1 }[] {
  const sorted = [...calls].sort((a, b) => a.startAt - b.startAt);
  return sorted.flatMap((call, nth) => {
    const end = call.endAt ?? call.abortAt ?? Number.POSITIVE_INFINITY;
    const next = sorted[nth + 1]?.startAt ?? Number.POSITIVE_INFINITY;
    if (call.startAt >= until) return [];
    return [
      { at: call.startAt, step: 1 as const },
      { at: Math.min(end, next, until), step: -1 as const },
    ];
  });
}
