import type { Kind } from '../actor/kind.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyStore } from '../ports/key-store.ts';
import { keyHour } from '../ports/key-store.ts';
import type { NodeLimits } from '../ports/limits.ts';
import type { Log } from '../ports/log.ts';
import type { KeptRows, RowExport } from '../ports/row-export.ts';
import type { IndexColumn, RowRecord, Store } from '../ports/store.ts';
import type { Member } from './membership/member.ts';
import { PeriodicTask } from './periodic-task.ts';
import { preferred } from './shards/shard-map.ts';

const SWEEPER_SHARD = 0;
/** Bound on the sweeps of one round; a longer backlog is spread over several rounds, which then follow soon. */
const SWEEPS_PER_ROUND_MAX = 20;
const BACKLOG_PAUSE_MS = 1_000;
/** Rows that are exported at once, some megabytes, 64 at most; they make one file per collection. */
const EXPORTED_ROWS_MAX = 1_000;
const EXPORTS_PER_ROUND_MAX = 10;
/** Exported rows leave once in an hour: each sweep makes files. */
const EXPORT_MS = 3_600_000;
/** Names listed at once: each listing reads a whole folder. */
const LISTED_MAX = 1_000;
/** Blobs judged and removed between two pauses for commits; each costs one index look-up per collection. */
const BLOBS_PER_PAGE = 50;
const PAGE_PAUSE_MS = 50;

interface PeriodicTasksParts {
  readonly self: string;
  readonly member: Member;
  readonly kinds: readonly Kind[];
  readonly store: Store;
  readonly blobs?: Blobs;
  readonly keys?: KeyStore;
  readonly rowExport?: RowExport;
  readonly clock: Clock;
  readonly limits: NodeLimits;
  readonly log: Log;
  /** Store time, ms. */
  readonly now: () => number;
}

/** The periodic tasks of a node: a sweep for each store it was given. */
export function periodicTasks({ self, member, blobs, keys, ...parts }: PeriodicTasksParts): readonly PeriodicTask[] {
  const isMine = (): boolean => isSweeper(self, member);
  return [
    rowSweep({ ...parts, isMine }),
    ...(blobs ? [blobSweep({ ...parts, isMine, blobs })] : []),
    ...(keys ? [keySweep({ ...parts, keys })] : []),
  ];
}

/** True on one node of the cluster: the one shard 0 prefers among those that stay. False without fresh contact. */
export function isSweeper(self: string, member: Member): boolean {
  const { nodes, live } = member.view;
  const staying = nodes.filter((row) => row.state === 'up' && live.has(row.incarnation));
  return preferred(SWEEPER_SHARD, staying)?.incarnation === self && member.fresh;
}

interface RowSweepParts {
  /** Only one node of the cluster sweeps. */
  readonly isMine: () => boolean;
  readonly store: Store;
  readonly rowExport?: RowExport;
  readonly clock: Clock;
  readonly limits: { readonly sweepMs: number; readonly sweepRowsMax: number };
  readonly log: Log;
  /** Store time, ms. */
  readonly now: () => number;
}

/**
 * Removes expired rows periodically: 10,000 a second at the usual limits while there is a backlog, so that rows leave as
 * fast as a busy cluster writes them. (rule N58)
 */
export function rowSweep(parts: RowSweepParts): PeriodicTask {
  const { isMine, store, clock, limits, log, now, rowExport } = parts;
  let isBehind = false;
  return new PeriodicTask({
    name: 'row sweep',
    clock,
    log,
    everyMs: () => (isBehind ? Math.min(BACKLOG_PAUSE_MS, limits.sweepMs) : limits.sweepMs),
    run: async (stopped) => {
      isBehind = false;
      if (!isMine()) return;
      if (rowExport !== undefined) {
        isBehind = await exportingSweep(parts, rowExport, stopped);
        return;
      }
      for (let sweep = 0; sweep < SWEEPS_PER_ROUND_MAX && !stopped(); sweep++) {
        if ((await store.sweepRows(now(), limits.sweepRowsMax)) < limits.sweepRowsMax) return;
      }
      isBehind = true;
    },
  });
}

/**
 * Exports and removes rows that had expired at the last full hour; true if there are more. Nothing leaves while the export
 * fails. A row that changes after it was exported stays, and is exported again. (rule K86)
 */
async function exportingSweep(parts: RowSweepParts, rowExport: RowExport, stopped: () => boolean): Promise<boolean> {
  for await (const kept of rowExport.unfinished()) await finishExport(parts, kept);
  for (let page = 0; page < EXPORTS_PER_ROUND_MAX && !stopped(); page++) {
    if ((await exportPage(parts, rowExport)) < EXPORTED_ROWS_MAX) return false;
  }
  return true;
}

/** Removes what an ended process has exported. */
async function finishExport({ store, limits }: RowSweepParts, kept: KeptRows): Promise<void> {
  for (const keys of slices(kept.keys, limits.sweepRowsMax)) {
    const rows = await Promise.all(keys.map((key) => store.row(key)));
    await store.removeRows(rows.filter((row): row is RowRecord => row !== null && kept.has(row)));
  }
  await kept.end();
}

/** The number of rows. */
async function exportPage({ store, limits, now }: RowSweepParts, rowExport: RowExport): Promise<number> {
  const rows = await store.expiredRows(now() - (now() % EXPORT_MS), EXPORTED_ROWS_MAX);
  const all = rows.length === 0 ? [] : await rowExport.keep(rows);
  for (const slice of slices(rows, limits.sweepRowsMax)) await store.removeRows(slice);
  for (const kept of all) await kept.end();
  return rows.length;
}

function slices<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

interface KeySweepParts {
  readonly keys: KeyStore;
  readonly clock: Clock;
  readonly limits: { readonly sweepMs: number };
  readonly log: Log;
}

/**
 * Destroys expired sealing keys. Keys expire at the turn of an hour: the task runs then, and in between to retry
 * failures and to catch up after the clock was set. Every node runs it, because destruction must not wait for an
 * election, and destroying a key twice is harmless.
 */
export function keySweep({ keys, clock, limits, log }: KeySweepParts): PeriodicTask {
  return new PeriodicTask({
    name: 'key sweep',
    clock,
    log,
    everyMs: () => Math.min(limits.sweepMs, keyHour.ms - (clock.now() % keyHour.ms)),
    run: async () => {
      const { destroyed, kept } = await keys.sweep();
      if (destroyed > 0) log({ level: 'info', message: 'sealing keys destroyed', destroyed, kept });
    },
  });
}

export interface BlobSweepParts {
  /** Only one node of the cluster sweeps. */
  readonly isMine: () => boolean;
  readonly kinds: readonly Kind[];
  readonly blobs: Blobs;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Pick<NodeLimits, 'sweepMs' | 'blobOrphanMs' | 'sweepBlobsMax'>;
  readonly log: Log;
  /** Store time, ms. */
  readonly now: () => number;
}

/**
 * Removes blobs that no row refers to, and unfinished writes, once they are old enough. It walks the blobs from the
 * oldest on, in small pages with a pause after each and a bounded number per round, and continues after the last one.
 * If no collection of these kinds declares a blob it removes nothing, since every blob would look like an orphan.
 */
export function blobSweep(parts: BlobSweepParts): PeriodicTask {
  const { clock, limits, log, isMine } = parts;
  const columns = columnsOf(parts.kinds);
  const walk: Walk = { after: null };

  return new PeriodicTask({
    name: 'blob sweep',
    clock,
    log,
    everyMs: () => limits.sweepMs,
    run: async (stopped) => {
      const isOver = (): boolean => stopped() || !isMine();
      if (columns.length === 0 || isOver()) return;
      await sweepUnfinished(parts, isOver);
      await sweepOrphans(parts, columns, walk, isOver);
    },
  });
}

async function sweepUnfinished(parts: BlobSweepParts, isOver: () => boolean): Promise<void> {
  const { blobs, limits, now } = parts;
  const before = now() - limits.blobOrphanMs;
  for (let left = limits.sweepBlobsMax; left > 0 && !isOver(); left -= BLOBS_PER_PAGE) {
    if ((await blobs.sweepUnfinished(before, BLOBS_PER_PAGE)) < BLOBS_PER_PAGE) return;
    await pause(parts);
  }
}

interface Walk {
  /** The last judged id; null to start with the oldest blob. */
  after: string | null;
}

/**
 * One round. A removal that fails ends it, and the next round continues behind that blob, so none blocks the others.
 */
async function sweepOrphans(
  parts: BlobSweepParts,
  columns: readonly IndexColumn[],
  walk: Walk,
  isOver: () => boolean,
): Promise<void> {
  const { blobs, store, limits, now } = parts;
  const before = now() - limits.blobOrphanMs;
  for (let left = limits.sweepBlobsMax; left > 0; ) {
    const limit = Math.min(left, LISTED_MAX);
    const ids = await blobs.list({ after: walk.after, before, limit });
    for (let at = 0; at < ids.length; at += BLOBS_PER_PAGE) {
      if (isOver()) return;
      const page = ids.slice(at, at + BLOBS_PER_PAGE);
      const kept = new Set(await store.referred(columns, page));
      for (const id of page) {
        walk.after = id;
        if (!kept.has(id)) await blobs.remove(id);
      }
      await pause(parts);
    }
    if (ids.length < limit) {
      walk.after = null;
      return;
    }
    left -= limit;
  }
}

function pause({ clock }: BlobSweepParts): Promise<void> {
  return new Promise((resolve) => void clock.after(PAGE_PAUSE_MS, resolve));
}

/** The columns that name blobs. Kinds may share the name of a collection and not its columns. */
function columnsOf(kinds: readonly Kind[]): readonly IndexColumn[] {
  const found = new Map<string, IndexColumn>();
  for (const { collections } of kinds) {
    for (const [collection, { blob: column }] of Object.entries(collections)) {
      if (column !== undefined) found.set(`${collection} ${column}`, { collection, column });
    }
  }
  return [...found.values()];
}
