/**
 * The Store port over one SQLite file, shared by any number of node processes of one host. Commits and membership go to
 * a writer thread, reads stay on the caller's; every acknowledged commit is on the disk.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { type ShardVerdict, type ShardWrite, type Store, StoreRefused } from '../../ports/store.ts';
import { COMMITTED, FENCE } from './apply-commit.ts';
import { Ballast } from './ballast.ts';
import { connect, type SqliteConnection } from './connect.ts';
import { errorOf, type Failure, failureOf, isBusy } from './failure.ts';
import { packCommit } from './packed-commit.ts';
import { type Reader, reader } from './reader.ts';
import { Writer } from './writer.ts';

export interface SqliteStoreOptions {
  /** The database file; its folder is made if it is missing. */
  readonly path: string;
  /** Shard count; settled for ever by whoever opens the file first. */
  readonly shards: number;
  readonly clock: Clock;
  readonly random: Random;
  /** Longest wait for the write lock per transaction, ms; then StoreRefused('busy'). */
  readonly busyBoundMs: number;
  /** Pause between two commits of one writer, ms: what lets three saturated nodes share. Default 0.1. */
  readonly yieldMs?: number;
  /** Files up to this size are checked whole when opened. Default 32 MiB. */
  readonly checkBytesMax?: number;
  /** Space set aside for a full disk, in a file beside the database. Default 0, none. */
  readonly ballastBytes?: number;
  /** Commits and operations under way at once. Default 4,096. */
  readonly requestsMax?: number;
  /** The disk is full, or is no longer: the ballast is gone, or laid again. */
  readonly onFull?: (full: boolean) => void;
  /** The disk failed, the file is damaged or the writer died: end the process and start again. Called once. */
  readonly onFatal?: (error: Error) => void;
}

export interface SqliteStore extends Store {
  /** How long the writer has been waiting for the lock now, ms; 0 when it is not. For whoever looks for the holder. */
  busyMs(): number;
  /** True while the ballast is gone: what room is left is for work under way, new work has to be refused. */
  full(): boolean;
}

const YIELD_MS = 0.1;
const CHECK_BYTES_MAX = 32 * 1024 * 1024;
const REQUESTS_MAX = 4_096;
const READ_RETRY_MS = 1;

/** Rejects with one line that names the file and the remedy when it cannot be opened, written or understood. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { path, shards, clock, random, busyBoundMs, ballastBytes = 0 } = options;
  let ballast: Ballast | null = null;
  let fatal = false;
  const failed = (failure: Failure): void => {
    if (failure.kind === 'full') ballast?.drop();
    if (failure.kind !== 'fatal' || fatal) return;
    fatal = true;
    options.onFatal?.(errorOf(failure));
  };
  const { yieldMs = YIELD_MS, checkBytesMax = CHECK_BYTES_MAX, requestsMax = REQUESTS_MAX } = options;
  const writer = await Writer.start({
    ...{ path, shards, busyBoundMs, yieldMs, checkBytesMax, requestsMax, random, failed },
  });
  try {
    const connection = connect(path, 'read');
    const { onFull: changed = () => {} } = options;
    if (ballastBytes > 0) ballast = await Ballast.lay({ path: `${path}.ballast`, bytes: ballastBytes, clock, changed });
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
  readonly failed: (failure: Failure) => void;
}

/**
 * Runs one look-up. A reader meets a lock only while a killed process's file is put in order, and then tries again
 * without holding up its thread.
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

/** A programmer's error stays as it is; what the database said becomes the port's error. */
function readError(error: unknown, failed: (failure: Failure) => void): unknown {
  if (error instanceof RangeError || error instanceof TypeError) return error;
  const failure = failureOf(error);
  failed(failure);
  return errorOf(failure);
}

interface Rest extends Pick<SqliteStore, 'full'> {
  readonly clock: Clock;
  readonly close: () => void;
}

function compose(writer: Writer, read: Read, { clock, full, close }: Rest): SqliteStore {
  return {
    async commit(writes) {
      const codes = await writer.commit(packCommit(writes));
      return codes.map((code, i) => verdictOf((writes[i] as ShardWrite).shard, code));
    },
    loadActor: (address) => read((from) => from.loadActor(address)),
    actorsOf: (kind, shard) => read((from) => from.actorsOf(kind, shard)),
    actorCounts: () => read((from) => from.actorCounts()),
    states: () => read((from) => from.states()),
    row: (key) => read((from) => from.row(key)),
    rowById: (collection, id) => read((from) => from.rowById(collection, id)),
    rows: (query) => read((from) => from.rows(query)),
    referred: (columns, values) => read((from) => from.referred(columns, values)),
    sweepRows: (now, limit) => writer.call('sweepRows', now, limit),
    timersDue: (shards, until, limit) => read((from) => from.timersDue(shards, until, limit)),
    timersOf: (address) => read((from) => from.timersOf(address)),
    register: (node) => writer.call('register', node),
    async heartbeat(beat) {
      const sentAt = clock.now();
      const rows = await writer.call('heartbeat', beat);
      // The middle, as the asker takes it to be: a beat that waited for the lock would else set store time forward.
      return { now: Math.round((sentAt + clock.now()) / 2), ...rows };
    },
    markDead: (incarnation, seenBeat, why) => writer.call('markDead', incarnation, seenBeat, why),
    leave: (incarnation) => writer.call('leave', incarnation),
    shards: () => read((from) => from.shards()),
    claim: (owner, from) => writer.call('claim', owner, from),
    give: (from, to) => writer.call('give', from, to),
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
