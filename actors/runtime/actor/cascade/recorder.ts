/** Which steps of an actor are recorded, and the rows of a record: written in the step's own commit. */
import type { Snapshot } from '../charts/snapshot.ts';
import type { Effect } from '../effect.ts';
import type { ActorEvent, Json, RowView } from '../event.ts';
import { recordId, StepRecord } from '../history/step-record.ts';
import type { Cell, Change } from './cell.ts';
import type { Trim } from './outcome.ts';
import type { RowWrite } from './row-cache.ts';
import { removeRow, systemCollections, systemRow } from './row-writes.ts';

/** The longest recording on request: a day. */
const RECORDING_MS_MAX = 86_400_000;
/** Versions after which surplus records are removed: an actor holds at most so many above its bound. */
const TRIM_EVERY = 64;
const RECORDING = 'until';

/** What a step read and what it asks for. */
export interface Read {
  readonly rows: Readonly<Record<string, readonly RowView[]>>;
  readonly effects: readonly Effect[];
}

/** True if the kind records the event's steps, or the actor is being recorded, or ends and may have records. */
export function isRecorded({ cell, at, stopped }: Change, event: ActorEvent): boolean {
  const { always } = cell.kind.history;
  if (always !== null && (stopped || always(event))) return true;
  const until = recordedUntil(cell);
  return until !== null && (stopped || at < until);
}

/** Store time, ms, until which the actor's steps are recorded on request; null without a request so far. */
export function recordedUntil({ rows }: Cell): number | null {
  const held = rows.find(systemCollections.recording.name, RECORDING);
  if (held === undefined || held.latest.removed) return null;
  return (held.latest.body as { readonly until: number }).until;
}

/** The row of a request; it outlives the recording as long as a record may, so that the actor's end finds them. */
export function recordingRow(cell: Cell, until: number, at: number): RowWrite {
  const { rows, shard, kind } = cell;
  const end = Math.min(until, at + RECORDING_MS_MAX);
  const place = { beside: rows, shard: shard.id, open: true, sort: at };
  const row = systemRow(place, systemCollections.recording, RECORDING, { until: end });
  return { ...row, expiresAt: end + kind.history.retentionMs };
}

/** Writes the record into `change` as the newest one. */
export function recordOf(
  change: Change,
  before: Snapshot | null,
  event: ActorEvent,
  { rows, effects }: Read,
): { readonly rows: readonly RowWrite[]; readonly trim: Trim | null } {
  const { cell, snapshot: after, version, at, from, to, recorded: last } = change;
  const { address, kind, shard } = cell;
  if (change.stopped) {
    const removed = removeRow(cell.rows, systemCollections.recording, RECORDING);
    return { rows: recordedUntil(cell) === null ? [] : [removed], trim: { address, stepsMax: 0, version } };
  }
  const { node, epoch } = shard;
  const { version: chart, history } = kind;
  const step = { at, version, chart, node, epoch, from, to, event, rows, before, after, effects, last };
  const record = new StepRecord(step);
  change.recorded = { snapshot: after, version };
  const isDue = last === null || Math.floor(version / TRIM_EVERY) !== Math.floor(last.version / TRIM_EVERY);
  return {
    rows: [stepRow(cell, version, at + history.retentionMs, record)],
    trim: isDue ? { address, stepsMax: history.stepsMax, version } : null,
  };
}

/** Its body becomes text when the batch is built. No index column: records are read by their actor alone. */
function stepRow({ rows }: Cell, version: number, expiresAt: number, record: StepRecord): RowWrite {
  return {
    beside: rows,
    collection: systemCollections.steps,
    id: recordId(version),
    removed: false,
    body: record as unknown as Json,
    sort: version,
    index: [],
    open: false,
    expiresAt,
    held: null,
  };
}
