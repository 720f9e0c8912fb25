/**
 * Ends holds without a charge: the one of a turn, and those of several generations of one key in the commit of the actor
 * that gives them up, such as the lines of a batch that is cancelled. A hold that was not admitted yet gets a tombstone,
 * or the released row of an earlier run names this one, so that no later admission of the same run is granted.
 */
import { assignOn, type Effect, emitOn, type RowRef, type Stamped, verdictOn } from '../runtime/index.ts';
import { firstRow, plain, reply } from '../terms/chart-tools.ts';
import type { Generation, Release, Released } from '../terms/hold.ts';
import { type AccountState, nextOf } from './account-state.ts';
import { generationOf, generationRef, newestAttempt, released, rowOf } from './generation.ts';
import { removeClaim } from './idempotency.ts';
import { freed, sumOf, sweepAt, sweepBy } from './sweep-holds.ts';
import { judgeTombstone, putTombstone, TOMBSTONE_MS, type Tombstone, tombstoneRef } from './tombstone.ts';

export type HoldRelease = Stamped & { readonly type: 'hold.release'; readonly release: Release };

/** `releases` name at most as many generations as an account has slots. */
type HoldsRelease = Stamped & {
  readonly type: 'holds.release';
  readonly key: string;
  readonly releases: readonly Release[];
};
export type ReleaseEvent = HoldRelease | HoldsRelease;

export type ReleaseCase =
  | 'recorded'
  | 'release'
  /** An older attempt tries to release a newer attempt's hold. */
  | 'stale'
  /** Released before by an older attempt: the row takes the newer number, so that a late admission of it is refused. */
  | 'supersede'
  /** Never admitted: a tombstone is written, so that a late admission is refused. */
  | 'unadmitted';

export function judgeRelease(_: AccountState, event: HoldRelease): ReleaseCase {
  const { attempt } = event.release;
  const row = generationOf(event);
  if (row === null) {
    const tombstone = firstRow<Tombstone>(event, 'tombstone');
    return judgeTombstone(tombstone, attempt) === null ? 'unadmitted' : 'recorded';
  }
  return judgeRow(row, attempt);
}

function judgeRow(row: Generation, attempt: number): Exclude<ReleaseCase, 'unadmitted'> {
  if (row.status === 'running') return attempt < row.attempt ? 'stale' : 'release';
  return row.status === 'released' && attempt > newestAttempt(row) ? 'supersede' : 'recorded';
}

function release(state: AccountState, event: HoldRelease): AccountState {
  return freed(state, [rowOf(event)]);
}

function recordRelease(_: AccountState, event: HoldRelease): Effect[] {
  const before = rowOf(event);
  return [
    putReleased(before, event.release, event.at),
    ...removeClaim(before),
    { type: 'send', to: before.key, event: { type: 'hold.closed', amount: before.amount, count: 1 } },
    answer(event.release, 'released'),
  ];
}

/** The row names the newer attempt as released; money and key were given back before. */
function recordSupersession(_: AccountState, event: HoldRelease): Effect[] {
  return [putReleased(rowOf(event), event.release, event.at), answer(event.release, 'released')];
}

function putReleased(row: Generation, release: Release, at: number): Effect {
  return { type: 'put', collection: 'generation', id: row.generation, body: plain(released(row, release, at)) };
}

function answerRelease(_: AccountState, event: HoldRelease): Effect {
  return answer(event.release, generationOf(event)?.status === 'settled' ? 'settled' : 'released');
}

function answer({ generation }: Release, status: Released['status']): Effect {
  return reply({ generation, status } satisfies Released);
}

function scheduleTombstoneSweep(state: AccountState, { at }: Pick<Stamped, 'at'>): AccountState {
  const next = nextOf(state);
  next.nextSweepAt = sweepBy(state, at + TOMBSTONE_MS);
  return next;
}

function recordTombstone(state: AccountState, { release, at }: HoldRelease): Effect[] {
  return [putTombstone(release, at), ...sweepAt(state, at + TOMBSTONE_MS), answer(release, 'released')];
}

interface Judged {
  /** Holds that end now. */
  readonly ended: readonly Generation[];
  /** The rows of those, and of the ones that an older attempt released before, when money and key were given back. */
  readonly puts: readonly Effect[];
  /** Generations without any record. */
  readonly absent: readonly Release[];
}

/** Charged generations and those of later attempts stay as they are. */
function judgeMany(event: HoldsRelease): Judged {
  const ended: Generation[] = [];
  const superseded: Effect[] = [];
  const puts: Effect[] = [];
  const absent: Release[] = [];
  for (const release of event.releases) {
    const row = firstRow<Generation>(event, releasedRow(release.generation));
    const found = row === null ? 'unadmitted' : judgeRow(row, release.attempt);
    if (row === null) absent.push(release);
    else if (found === 'release') {
      ended.push(row);
      puts.push(putReleased(row, release, event.at));
    } else if (found === 'supersede') superseded.push(putReleased(row, release, event.at));
  }
  return { ended, puts: [...puts, ...superseded], absent };
}

function releaseMany(state: AccountState, event: HoldsRelease): AccountState {
  const { ended, absent } = judgeMany(event);
  const next = ended.length === 0 ? state : freed(state, ended);
  return absent.length === 0 ? next : scheduleTombstoneSweep(next, event);
}

/** From the state after the event. */
function recordReleases(state: AccountState, event: HoldsRelease): Effect[] {
  const { at, key } = event;
  const { ended, puts, absent } = judgeMany(event);
  const tombstones = absent.map((one) => putTombstone(one, at));
  const effects = [...puts, ...tombstones, ...(absent.length === 0 ? [] : sweepAt(state, at + TOMBSTONE_MS))];
  if (ended.length === 0) return effects;
  const closed = { type: 'hold.closed', amount: sumOf(ended), count: ended.length };
  return [...effects, { type: 'send', to: key, event: closed }];
}

/** The name under which the kind requests the row of a generation. */
function releasedRow(generation: string): string {
  return `generation ${generation}`;
}

export const rows = {
  'hold.release': ({ release: { generation } }: HoldRelease): readonly RowRef[] => [
    generationRef(generation, true),
    tombstoneRef(generation),
  ],
  'holds.release': ({ releases }: HoldsRelease): readonly RowRef[] =>
    releases.map(({ generation }) => ({ ...generationRef(generation, true), as: releasedRow(generation) })),
};

export const guards = {
  releaseIs: verdictOn('hold.release', judgeRelease),
};

export const actions = {
  release: assignOn('hold.release', release),
  recordRelease: emitOn('hold.release', recordRelease),
  recordSupersession: emitOn('hold.release', recordSupersession),
  answerRelease: emitOn('hold.release', answerRelease),
  scheduleTombstoneSweep: assignOn('*', scheduleTombstoneSweep),
  recordTombstone: emitOn('hold.release', recordTombstone),
  releaseMany: assignOn('holds.release', releaseMany),
  recordReleases: emitOn('holds.release', recordReleases),
};
