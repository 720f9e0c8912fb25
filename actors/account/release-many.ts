/**
 * Releases the holds of several generations of one key in one step, in the commit of the actor that gives them up: the
 * lines of a batch that is cancelled. A hold that was not admitted yet gets a tombstone, or the released row of an
 * earlier run names this one, so that no later admission of the same run is granted. Pure.
 */
import type { Effect } from '../runtime/index.ts';
import type { Generation, Release } from '../terms/hold.ts';
import { plain } from '../terms/only.ts';
import { add } from '../terms/usd.ts';
import { type AccountState, dueBy, withoutHolds } from './account-state.ts';
import { SWEEP_TIMER } from './effects.ts';
import type { HoldsRelease } from './events.ts';
import { newestAttempt, released } from './generation.ts';
import { freed } from './reducers.ts';
import { TOMBSTONE_MS, type Tombstone } from './tombstone.ts';

interface Ended {
  readonly row: Generation;
  readonly release: Release;
}

interface Judged {
  /** Holds that end now. */
  readonly ended: readonly Ended[];
  /** Released before by an older attempt, when money and key were given back. */
  readonly superseded: readonly Ended[];
  /** Generations without any record. */
  readonly absent: readonly Release[];
}

/** The name under which the kind requests the row of a generation. */
export function releasedRow(generation: string): string {
  return `generation ${generation}`;
}

export function releaseMany(state: AccountState, event: HoldsRelease): AccountState {
  const { ended, absent } = judge(event);
  const amount = ended.reduce((sum, { row }) => add(sum, row.amount), '0');
  const rows = ended.map(({ row }) => row);
  const next = ended.length === 0 ? state : freed(withoutHolds(state, amount, ended.length), rows);
  return absent.length === 0 ? next : dueBy(next, event.at + TOMBSTONE_MS);
}

/** From the state after the event. */
export function recordReleases({ nextSweepAt }: AccountState, event: HoldsRelease): Effect[] {
  const { at, key } = event;
  const { ended, superseded, absent } = judge(event);
  const effects: Effect[] = [];
  for (const { row, release } of [...ended, ...superseded]) {
    const body = plain(released(row, release, at));
    effects.push({ type: 'put', collection: 'generation', id: row.generation, body });
  }
  const forgetAt = at + TOMBSTONE_MS;
  for (const { generation, attempt } of absent) {
    const body = plain({ generation, attempt, createdAt: at, forgetAt } satisfies Tombstone);
    effects.push({ type: 'put', collection: 'tombstone', id: generation, body });
  }
  if (absent.length > 0 && nextSweepAt === forgetAt) {
    effects.push({ type: 'schedule', name: SWEEP_TIMER, at: forgetAt, event: { type: SWEEP_TIMER } });
  }
  if (ended.length === 0) return effects;
  const amount = ended.reduce((sum, { row }) => add(sum, row.amount), '0');
  effects.push({ type: 'send', to: key, event: { type: 'hold.closed', amount, count: ended.length } });
  return effects;
}

/** Charged generations and those of later attempts stay as they are. */
function judge(event: HoldsRelease): Judged {
  const ended: Ended[] = [];
  const superseded: Ended[] = [];
  const absent: Release[] = [];
  for (const release of event.releases) {
    const row = (event.rows[releasedRow(release.generation)]?.[0]?.body ?? null) as Generation | null;
    if (row === null) absent.push(release);
    else if (row.status === 'running' && row.attempt <= release.attempt) ended.push({ row, release });
    else if (row.status === 'released' && newestAttempt(row) < release.attempt) superseded.push({ row, release });
  }
  return { ended, superseded, absent };
}
