/**
 * Loaded into the writer's process (`--require`): writes down, in its writer and mover threads, what each COMMIT and each
 * move of the log changed in the files, and whether the connection was set to sync at that very moment. The syncs themselves are
 * taken from that level: that SQLite makes them is counted elsewhere (durability.test.ts, and the traced form of this
 * replay). With WATCH_DISK_LEVEL=NORMAL the connection is set to less than the product asks for, and lies about it.
 */
const { appendFileSync, existsSync, openSync, readSync, readFileSync } = require('node:fs');
const { rmSync, statSync, writeFileSync } = require('node:fs');
const { isMainThread, parentPort, workerData } = require('node:worker_threads');

const out = process.env.WATCH_DISK_FILE;
const NORMAL = process.env.WATCH_DISK_LEVEL === 'NORMAL';
const WAL_HEADER = 32;
const FRAME_HEADER = 24;
const FULL = 2;
/** The mover's thread moves and never commits; the writer's lets the log start anew only when it is not moving. */
const isMover = workerData?.urgent === undefined;
/** Exists while the mover has moved what it has not told. */
const telling = `${out}.telling`;

if (out && !isMainThread && parentPort) watch(require('better-sqlite3'));

function watch(Database) {
  const { prepare, pragma } = Database.prototype;
  let seen = null;
  const tell = (event) => appendFileSync(out, `${JSON.stringify(event)}\n`);

  Database.prototype.pragma = function (sql, options) {
    if (!NORMAL || !/^synchronous/.test(sql)) return pragma.call(this, sql, options);
    if (sql === 'synchronous') return FULL;
    return pragma.call(this, 'synchronous = NORMAL', options);
  };
  Database.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (sql === 'COMMIT') return { run: () => aroundCommit(this, statement) };
    if (/^PRAGMA wal_checkpoint\((PASSIVE|RESTART)\)/.test(sql)) return { get: () => aroundMove(this, statement) };
    return statement;
  };

  const look = (path) => {
    const wal = existsSync(`${path}-wal`) ? `${path}-wal` : null;
    return {
      path,
      wal,
      size: wal ? statSync(wal).size : 0,
      salts: wal ? bytesOf(wal, 0, WAL_HEADER).toString('hex') : '',
    };
  };

  function aroundCommit(connection, statement) {
    const result = statement.run();
    if (seen === null) {
      seen = start(connection);
      return result;
    }
    const syncs = pragma.call(connection, 'synchronous', { simple: true }) >= FULL;
    told(connection, syncs);
    return result;
  }

  function start(connection) {
    const { name } = connection;
    tell({ base: { db: readFileSync(name).toString('base64'), wal: readFileSync(`${name}-wal`).toString('base64') } });
    return { ...look(name), frames: framesOf(connection) };
  }

  /** What the log gained: from its start if it began anew, else behind the frames it had. */
  function told(connection, syncs) {
    const now = { ...look(connection.name), frames: framesOf(connection) };
    const anew = now.salts !== seen.salts;
    const frame = FRAME_HEADER + pageSizeOf(connection);
    const at = anew ? WAL_HEADER : WAL_HEADER + seen.frames * frame;
    const end = WAL_HEADER + now.frames * frame;
    if (anew) {
      // A log that was moved whole starts anew by itself, maybe before the mover has told what it moved.
      while (existsSync(telling)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      tell({ write: 'wal', at: 0, data: bytesOf(now.wal, 0, WAL_HEADER).toString('base64') });
      if (syncs) tell({ sync: 'wal' });
    }
    // SQLite hands over a frame's head and its page in two writes.
    for (let from = at; from < end; from += frame) {
      tell({ write: 'wal', at: from, data: bytesOf(now.wal, from, FRAME_HEADER).toString('base64') });
      const page = bytesOf(now.wal, from + FRAME_HEADER, pageSizeOf(connection)).toString('base64');
      tell({ write: 'wal', at: from + FRAME_HEADER, data: page });
    }
    if (syncs && end > at) tell({ sync: 'wal' });
    seen = now;
  }

  /**
   * The log is synced, then its pages are moved, then the database is synced, at NORMAL as at FULL; but not when the log
   * grew meanwhile: then the move that completes it syncs for both.
   */
  function aroundMove(connection, statement) {
    const { name } = connection;
    const before = readFileSync(name);
    if (isMover) writeFileSync(telling, '');
    // What the writer adds to the log after this moment is not covered by the mover's sync.
    if (isMover) tell({ sync: 'wal' });
    const result = statement.get();
    if (seen !== null || isMover) {
      const complete = result.busy === 0 && result.log === result.checkpointed;
      if (!isMover && complete) tell({ sync: 'wal' });
      tellPages(before, readFileSync(name), pageSizeOf(connection));
      if (complete) tell({ sync: 'db' });
    }
    if (isMover) rmSync(telling);
    return result;
  }

  function tellPages(before, after, pageSize) {
    for (let at = 0; at < after.length; at += pageSize) {
      const page = after.subarray(at, at + pageSize);
      if (!page.equals(before.subarray(at, at + pageSize))) tell({ write: 'db', at, data: page.toString('base64') });
    }
  }

  function pageSizeOf(connection) {
    return pragma.call(connection, 'page_size', { simple: true });
  }

  function framesOf(connection) {
    return prepare.call(connection, 'PRAGMA wal_checkpoint(NOOP)').get().log;
  }
}

function bytesOf(path, at, length) {
  const bytes = Buffer.alloc(length);
  readSync(openOnce(path), bytes, 0, length, at);
  return bytes;
}

const descriptors = new Map();
function openOnce(path) {
  if (!descriptors.has(path)) descriptors.set(path, openSync(path, 'r'));
  return descriptors.get(path);
}
