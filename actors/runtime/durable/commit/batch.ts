import type { Change } from '../../actor/cascade/cell.ts';
import type { Placed, TimerWrite, Trim } from '../../actor/cascade/outcome.ts';
import type { RowWrite } from '../../actor/cascade/row-cache.ts';
import { systemCollections } from '../../actor/cascade/row-writes.ts';
import { persistAt, withSum } from '../../actor/charts/snapshot.ts';
import { StepRecord } from '../../actor/history/step-record.ts';
import type { EngineLimits } from '../../ports/limits.ts';
import type { ActorWrite, RowRecord, ShardWrite, TimerRecord } from '../../ports/store.ts';
import type { Shard } from '../shard.ts';
import type { Entry } from './entry.ts';

/** Entries that one store commit writes. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly writes: readonly ShardWrite[];
  /** Shards with state that is not valid JSON; the batch contains none of their writes. */
  readonly broken: readonly { readonly shard: Shard; readonly detail: string }[];
}

/** The writes of one shard, after later writes replaced earlier ones. */
interface Fold {
  readonly shard: Shard;
  readonly changes: Change[];
  readonly rows: RowWrite[];
  readonly timers: TimerWrite[];
  readonly trims: Trim[];
}

const TIMER_BYTES = 256;

/**
 * Builds batches. Several versions of one actor are written once, a later write of a row or timer replaces an earlier
 * one, and only the remaining writes are serialized. `self` is the incarnation that must own the shards.
 */
export class BatchBuilder {
  private number = 0;
  private readonly self: string;
  private readonly limits: Pick<EngineLimits, 'commitEntriesMax' | 'commitBytesMax'>;

  constructor(self: string, limits: Pick<EngineLimits, 'commitEntriesMax' | 'commitBytesMax'>) {
    this.self = self;
    this.limits = limits;
  }

  /** Takes at least one entry from the front of `waiting`, in order, up to the bounds. */
  build(waiting: readonly Entry[]): Batch {
    this.number++;
    const folds = new Map<Shard, Fold>();
    const entries: Entry[] = [];
    let bytes = 0;
    for (const entry of waiting) {
      if (entries.length >= this.limits.commitEntriesMax || bytes >= this.limits.commitBytesMax) break;
      entries.push(entry);
      entry.handed = true;
      bytes += this.fold(entry, foldOf(folds, entry.shard));
    }
    const writes: ShardWrite[] = [];
    const broken: { shard: Shard; detail: string }[] = [];
    for (const fold of folds.values()) {
      try {
        writes.push(this.write(fold));
      } catch (error) {
        broken.push({ shard: fold.shard, detail: error instanceof Error ? error.message : String(error) });
      }
    }
    return { entries, writes, broken };
  }

  /** Returns the estimated bytes that the entry adds. */
  private fold(entry: Entry, fold: Fold): number {
    let bytes = 0;
    for (const change of entry.changes) {
      if (this.put(fold.changes, change, change.cell)) bytes += change.cell.bytes;
    }
    for (const row of entry.rows) {
      if (row.held !== null && this.put(fold.rows, row, row.held)) bytes += row.collection.bodyBytes;
    }
    for (const timer of entry.timers) {
      if (timer.slot !== null && this.put(fold.timers, timer, timer.slot)) bytes += TIMER_BYTES;
    }
    fold.trims.push(...entry.trims);
    return bytes;
  }

  /** Adds an item to this batch; false when it replaced an earlier one. */
  private put<T>(list: T[], item: T, placed: Placed): boolean {
    if (placed.batch === this.number) {
      list[placed.place] = item;
      return false;
    }
    placed.batch = this.number;
    placed.place = list.length;
    list.push(item);
    return true;
  }

  private write(fold: Fold): ShardWrite {
    const actors: ActorWrite[] = [];
    const stopped: { address: string; expected: number }[] = [];
    for (const change of fold.changes) {
      const { cell } = change;
      if (change.stopped) {
        if (cell.handedVersion > 0) stopped.push({ address: cell.address, expected: cell.handedVersion });
        cell.handedVersion = 0;
        continue;
      }
      const write = actorWrite(change, fold.shard.id);
      cell.handedVersion = write.record.version;
      actors.push(write);
    }
    const { id: shard, epoch } = fold.shard;
    const rows = splitRows(fold.rows, endsOf(fold.trims));
    const rowsTrimmed = fold.trims.map(trimmed);
    return { shard, owner: this.self, epoch, actors, stopped, ...rows, rowsTrimmed, ...splitTimers(fold) };
  }
}

function foldOf(folds: Map<Shard, Fold>, shard: Shard): Fold {
  let fold = folds.get(shard);
  if (fold === undefined) {
    fold = { shard, changes: [], rows: [], timers: [], trims: [] };
    folds.set(shard, fold);
  }
  return fold;
}

/**
 * The actor as of this batch. If no later entries wait, this is its newest state including volatile steps; otherwise it
 * is the state of this change, and the transition log excludes the steps of later entries.
 */
function actorWrite(change: Change, shard: number): ActorWrite {
  const { cell } = change;
  const { address, hash, kind, handedVersion } = cell;
  const newest = cell.pending === null || cell.pending.handed;
  const state = newest ? cell.snapshot : null;
  const version = state === null ? change.version : cell.version;
  const body = persistAt(kind, state ?? change.snapshot);
  const ahead = cell.version - version;
  const transitions = cell.transitionLog.text(ahead);
  cell.bytes = body.length + transitions.length;
  const plain = { address, kind: kind.name, hash, shard, version, chart: kind.level, snapshot: body, transitions };
  return {
    record: { ...plain, snapshot: withSum(plain, state === null ? change.at : cell.lastAt) },
    expected: handedVersion,
  };
}

function trimmed({ address, stepsMax }: Trim): ShardWrite['rowsTrimmed'][number] {
  return { address, collection: systemCollections.steps.name, rowsMax: stepsMax };
}

/** The versions at which actors ended in this batch: their records up to there are never written. */
function endsOf(trims: readonly Trim[]): ReadonlyMap<string, number> {
  return new Map(trims.filter(({ stepsMax }) => stepsMax === 0).map(({ address, version }) => [address, version]));
}

function splitRows(
  writes: readonly RowWrite[],
  ends: ReadonlyMap<string, number>,
): Pick<ShardWrite, 'rowsPut' | 'rowsRemoved'> {
  const rowsPut: RowRecord[] = [];
  const rowsRemoved: ShardWrite['rowsRemoved'][number][] = [];
  for (const { beside, collection, id, removed, sort, index, open, body: value, expiresAt } of writes) {
    const { address } = beside;
    if (removed) {
      rowsRemoved.push({ address, collection: collection.name, id });
      continue;
    }
    if (collection === systemCollections.steps && sort <= (ends.get(address) ?? 0)) continue;
    const body = value instanceof StepRecord ? value.text() : JSON.stringify(value);
    collection.bodyBytes = body.length;
    rowsPut.push({ address, collection: collection.name, id, sort, index, open, body, expiresAt });
  }
  return { rowsPut, rowsRemoved };
}

function splitTimers(fold: Fold): Pick<ShardWrite, 'timersSet' | 'timersCancelled'> {
  const timersSet: TimerRecord[] = [];
  const timersCancelled: ShardWrite['timersCancelled'][number][] = [];
  const ended = new Set<string>();
  for (const change of fold.changes) if (change.stopped) ended.add(change.cell.address);
  for (const { address, name, dueAt, event } of fold.timers) {
    if (event === null) timersCancelled.push({ address, name });
    else if (!ended.has(address)) timersSet.push({ address, name, dueAt, event: JSON.stringify(event) });
  }
  return { timersSet, timersCancelled };
}
