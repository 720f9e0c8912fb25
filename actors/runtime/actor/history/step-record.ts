/**
 * A recorded step as its row holds it: everything that the step read, and what it changed. The text is made when the
 * batch of its commit is built, outside the cascade, which may be abandoned and run again.
 *
 * A row keeps what a replay needs, unredacted, beside the snapshot and the rows of the same actor, which hold the same
 * values. What operators see of it is redacted when it is shown (`redacted.ts`).
 */
import { crc32 } from 'node:zlib';
import type { Snapshot } from '../charts/snapshot.ts';
import type { Effect } from '../effect.ts';
import type { ActorEvent, Json, RowView } from '../event.ts';
import type { SavedState } from '../kind.ts';
import { canonicalText, type Patch, patchBetween } from './patch.ts';

/** Versions after which a record holds the whole state again: the most records that a rebuild reads. */
export const WHOLE_EVERY = 32;
/** Characters of one record. What exceeds them leaves out the rows that the step read, then the event. */
const RECORD_CHARS_MAX = 64 * 1024;
/** Effects of one step that are summed: a batch of 50,000 lines puts as many rows. */
const SUMMED_EFFECTS_MAX = 256;

/** The stored body of a record. */
export interface StepBody {
  /** Store time, ms. */
  readonly at: number;
  /** Chart version of the states. */
  readonly chart: number;
  readonly node: string;
  readonly epoch: number;
  readonly from: string;
  readonly to: string;
  /** Without its members if they did not fit. */
  readonly event: ActorEvent;
  /** The rows that the chart received; absent for none. */
  readonly rows?: Readonly<Record<string, readonly RowView[]>>;
  /** Characters of what was left out; such a step cannot be stepped again. */
  readonly omitted?: number;
  /** The whole state before the step; null for the step that created the actor. */
  readonly before?: SavedState | null;
  /** Where `before` is absent: what steps without a record changed since the last record; absent for nothing. */
  readonly since?: Patch;
  /** What the step changed. */
  readonly patch: Patch;
  /** Sum of the effects; absent where there are too many. */
  readonly sum?: string;
}

/** The state after an actor's last record. */
export interface LastRecord {
  readonly snapshot: Snapshot;
  readonly version: number;
}

/** One step to record. Nothing of it is ever changed, so its text may be made later. */
interface Step {
  readonly at: number;
  readonly version: number;
  readonly chart: number;
  readonly node: string;
  readonly epoch: number;
  readonly from: string;
  readonly to: string;
  readonly event: ActorEvent;
  readonly rows: Readonly<Record<string, readonly RowView[]>>;
  readonly before: Snapshot | null;
  readonly after: Snapshot;
  readonly effects: readonly Effect[];
  /** Null: there is none, or its state is not in memory. */
  readonly last: LastRecord | null;
}

export class StepRecord {
  readonly #step: Step;

  constructor(step: Step) {
    this.#step = step;
  }

  /** JSON text of its `StepBody`. */
  text(): string {
    const { event, rows } = this.#step;
    const read = Object.keys(rows).length === 0 ? {} : { rows };
    const changes = changesOf(this.#step);
    const whole = JSON.stringify({ ...changes, event, ...read });
    if (whole.length <= RECORD_CHARS_MAX) return whole;
    const omitted = whole.length;
    const withoutRows = JSON.stringify({ ...changes, event, omitted });
    if (withoutRows.length <= RECORD_CHARS_MAX) return withoutRows;
    return JSON.stringify({ ...changes, event: { type: event.type }, omitted });
  }
}

function changesOf(step: Step): Omit<StepBody, 'event' | 'rows' | 'omitted'> {
  const { at, chart, node, epoch, from, to, before, after, effects } = step;
  const patch = patchBetween(savedOf(before) as Json, savedOf(after) as unknown as Json);
  const sum = effects.length <= SUMMED_EFFECTS_MAX ? { sum: sumOfEffects(effects) } : {};
  return { at, chart, node, epoch, from, to, ...startOf(step), patch, ...sum };
}

function startOf({ before, last, version }: Step): Pick<StepBody, 'before' | 'since'> {
  if (before === null || last === null || blockOf(last.version) !== blockOf(version))
    return { before: savedOf(before) };
  if (last.snapshot === before) return {};
  return { since: patchBetween(savedOf(last.snapshot) as unknown as Json, savedOf(before) as unknown as Json) };
}

function blockOf(version: number): number {
  return Math.floor(version / WHOLE_EVERY);
}

function savedOf(snapshot: Snapshot): SavedState;
function savedOf(snapshot: Snapshot | null): SavedState | null;
function savedOf(snapshot: Snapshot | null): SavedState | null {
  if (snapshot === null) return null;
  const { value, context, status } = snapshot;
  return { value: value as Json, context: context as Json, status: status as SavedState['status'] };
}

/** Equal for equal effects in the same order, whatever build made them. */
export function sumOfEffects(effects: readonly Effect[]): string {
  return crc32(canonicalText(effects as unknown as Json))
    .toString(16)
    .padStart(8, '0');
}

const ID_DIGITS = 11;

/** The id of the record of a version: ascending as text. */
export function recordId(version: number): string {
  return version.toString(36).padStart(ID_DIGITS, '0');
}

export function versionOfRecord(id: string): number {
  return Number.parseInt(id, 36);
}
