/**
 * The Store port over one SQLite file, shared by any number of node processes of one host. A writer thread executes
 * commits and membership; reads run on the caller's thread. Every acknowledged commit is durable.
 */
import type { Clock, Random } from '../../ports/clock.ts';
import { type ShardVerdict, type ShardWrite, type Store, StoreRefused } from '../../ports/store.ts';
import { COMMITTED, FENCE } from './apply-commit.ts';
import { Ballast } from './ballast.ts';
import { connect, type SqliteConnection } from './connect.ts';
import { errorOf, failureOf, isBusy, type StoreFailure } from './failure.ts';
import { packCommit } from './packed-commit.ts';
import { type Reader, reader } from './reader.ts';
import { Writer } from './writer.ts';

export interface SqliteStoreOptions {
  /** The database file; its folder is created if it is missing. */
  readonly path: string;
  /** Shard count; fixed permanently by the first opening. */
  readonly shards: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Longest wait for the write lock per transaction, ms; then StoreRefused('busy'). */
  readonly busyBoundMs: number;
  /** Pause between two commits of one writer, ms, so that three saturated nodes share the lock. Default 0.1. */
  readonly yieldMs?: number;
  /** Files up to this size are checked completely when opened. Default 32 MiB. */
  readonly checkBytesMax?: number;
  /** Reserved space for a full disk, in a file beside the database. Default 0, none. */
  readonly ballastBytes?: number;
  /** Maximum number of concurrent commits and operations. Default 4,096. */
  readonly requestsMax?: number;
  /**
   * Called when the disk becomes full (the ballast was removed) and when it has space again (the ballast was
   * recreated).
   */
  readonly onFull?: (full: boolean) => void;
  /** The disk failed, the file is damaged or the writer died: the process must exit and start again. Called once. */
  readonly onFatal?: (error: Error) => void;
}

export interface SqliteStore extends Store {
  /**
   * How long the writer has been waiting for the lock, ms; 0 without a wait. Used to find the process that holds it.
   */
  busyMs(): number;
  /** True while the ballast is missing: the remaining space is for work in progress, and new work must be refused. */
  full(): boolean;
}

const YIELD_MS = 0.1;
const CHECK_BYTES_MAX = 32 * 1024 * 1024;
const REQUESTS_MAX = 4_096;
const READ_RETRY_MS = 1;

/** Rejects with a one-line message with the file and the remedy when it cannot be opened, written or understood. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { path, shards, clock, random, busyBoundMs, ballastBytes = 0 } = options;
  let ballast: Ballast | null = null;
  let fatal = false;
  const failed = (failure: StoreFailure): void => {
    if (failure.kind === 'full') ballast?.drop();
    if (failure.kind !== 'fatal' || fatal) return;
    fatal = true;
    options.onFatal?.(errorOf(failure));
  };
  const { yieldMs = YIELD_MS, checkBytesMax = CHECK_BYTES_MAX, requestsMax = REQUESTS_MAX } = options;
  const writer = await Writer.start({
    path,
    shards,
    busyBoundMs,
    yieldMs,
    checkBytesMax,
    requestsMax,
    random,
    failed,
  });
  try {
    const connection = connect(path, 'read');
    const { onFull: changed = () => {} } = options;
    if (ballastBytes > 0)
      ballast = await Ballast.create({ path: `${path}.ballast`, bytes: ballastBytes, clock, changed });
    const read = reading({ connection, clock, busyBoundMs, failed });
    const full = (): boolean => ballast?.full ?? false;
    const close = (): void => {
      ballast?.close();
      connection.close();
    };
    return compose(writer, read, { clock, full, close });
  } catch (error) {
    await writer.close();
    throw error;
  }
}

type Read = <T>(look: (reader: Reader) => T) => Promise<T>;

interface ReadingOptions {
  readonly connection: SqliteConnection;
  readonly clock: Clock;
  readonly busyBoundMs: number;
  readonly failed: (failure: StoreFailure) => void;
}

/**
 * Runs one look-up. A reader meets a lock only while the file of a killed process is recovered; it then tries again
 * without blocking its thread.
 */
function reading({ connection, clock, busyBoundMs, failed }: ReadingOptions): Read {
  const from = reader(connection);
  return async (look) => {
    const since = clock.monotonic();
    for (;;) {
      if (!connection.open) throw new StoreRefused('unreachable', 'the store is closed');
      try {
        return look(from);
      } catch (error) {
        if (!isBusy(error) || clock.monotonic() - since >= busyBoundMs) throw readError(error, failed);
      }
      await new Promise<void>((resolve) => clock.after(READ_RETRY_MS, resolve));
    }
  };
}

/** Keeps programmer's errors; converts database errors to the port's errors. */
function readError(error: unknown, failed: (failure: StoreFailure) => void): unknown {
  if (error instanceof RangeError || error instanceof TypeError) return error;
  const failure = failureOf(error);
  failed(failure);
  return errorOf(failure);
}

interface Remaining extends Pick<SqliteStore, 'full'> {
  readonly clock: Clock;
  readonly close: () => void;
}

function compose(writer: Writer, read: Read, { clock, full, close }: Remaining): SqliteStore {
  const now = (): number => Math.round(clock.now());
  return {
    async commit(writes) {
      const codes = await writer.commit(packCommit({ at: now(), writes }));
      return codes.map((code, i) => verdictOf((writes[i] as ShardWrite).shard, code));
    },
    loadActor: (address) => read((from) => from.loadActor(address)),
    listActors: (query) => read((from) => from.listActors(query)),
    actorCounts: () => read((from) => from.actorCounts()),
    states: () => read((from) => from.states()),
    row: (key) => read((from) => from.row(key)),
    rowById: (collection, id) => read((from) => from.rowById(collection, id)),
    rows: (query) => read((from) => from.rows(query)),
    referred: (columns, values) => read((from) => from.referred(columns, values)),
    sweepRows: (now, limit) => writer.call('sweepRows', now, limit),
    expiredRows: (now, limit) => read((from) => from.expiredRows(now, limit)),
    removeRows: (rows) => writer.call('removeRows', rows),
    timersDue: (shards, until, limit) => read((from) => from.timersDue(shards, until, limit)),
    timersOf: (address) => read((from) => from.timersOf(address)),
    register: (node) => writer.call('register', node, now()),
    async heartbeat(beat) {
      const sentAt = clock.now();
      const rows = await writer.call('heartbeat', beat, Math.round(sentAt));
      // The middle of the call, as callers assume: the wait of a beat for the lock would otherwise advance store time.
      return { now: Math.round((sentAt + clock.now()) / 2), ...rows };
    },
    markDead: (incarnation, seenBeat, why, suspectedAt) =>
      writer.call('markDead', incarnation, seenBeat, { why, suspectedAt: suspectedAt ?? null }, now()),
    leave: (incarnation) => writer.call('leave', incarnation, now()),
    shards: () => read((from) => from.shards()),
    claim: (owner, from) => writer.call('claim', owner, from, now()),
    give: (from, to) => writer.call('give', from, to, now()),
    clusterEvents: (query) => read((from) => from.clusterEvents(query)),
    setting: (name, valueIfAbsent) => writer.call('setting', name, valueIfAbsent),
    busyMs: () => writer.waitedMs,
    full,
    async close() {
      close();
      await writer.close();
    },
  };
}

function verdictOf(shard: number, code: number): ShardVerdict {
  if (code === COMMITTED) return { shard, committed: true };
  return { shard, committed: false, reason: code === FENCE ? 'fence' : 'version' };
}
