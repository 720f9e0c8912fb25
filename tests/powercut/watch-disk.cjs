/**
 * Loaded into the writer's process (`--require`): records, in its writer and checkpointer threads, the file changes of
 * each COMMIT and each checkpoint, and whether the connection was set to sync at that moment. The syncs are derived from
 * that setting; other tests verify that SQLite makes them (durability.test.ts, and the traced form of this replay). With
 * WATCH_DISK_LEVEL=NORMAL the connection syncs less than the product requests and reports the requested level.
 */
const { appendFileSync, existsSync, openSync, readSync, readFileSync } = require('node:fs');
const { rmSync, statSync, writeFileSync } = require('node:fs');
const { isMainThread, parentPort, workerData } = require('node:worker_threads');

const out = process.env.WATCH_DISK_FILE;
const NORMAL = process.env.WATCH_DISK_LEVEL === 'NORMAL';
const WAL_HEADER = 32;
const FRAME_HEADER = 24;
const FULL = 2;
/** The checkpointer thread never commits; the writer restarts the log only while no checkpoint runs. */
const isMover = workerData?.urgent === undefined;
/** Exists while the checkpointer has unreported checkpoints. */
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
    report(connection, syncs);
    return result;
  }

  function start(connection) {
    const { name } = connection;
    tell({ base: { db: readFileSync(name).toString('base64'), wal: readFileSync(`${name}-wal`).toString('base64') } });
    return { ...look(name), frames: framesOf(connection) };
  }

  /** The growth of the log: from its start after a restart, else after its previous frames. */
  function report(connection, syncs) {
    const now = { ...look(connection.name), frames: framesOf(connection) };
    const anew = now.salts !== seen.salts;
    const frame = FRAME_HEADER + pageSizeOf(connection);
    const at = anew ? WAL_HEADER : WAL_HEADER + seen.frames * frame;
    const end = WAL_HEADER + now.frames * frame;
    if (anew) {
      // A fully checkpointed log restarts on its own, possibly before the checkpointer has reported the checkpoint.
      while (existsSync(telling)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      tell({ write: 'wal', at: 0, data: bytesOf(now.wal, 0, WAL_HEADER).toString('base64') });
      if (syncs) tell({ sync: 'wal' });
    }
    // SQLite writes a frame's header and its page in two writes.
    for (let from = at; from < end; from += frame) {
      tell({ write: 'wal', at: from, data: bytesOf(now.wal, from, FRAME_HEADER).toString('base64') });
      const page = bytesOf(now.wal, from + FRAME_HEADER, pageSizeOf(connection)).toString('base64');
      tell({ write: 'wal', at: from + FRAME_HEADER, data: page });
    }
    if (syncs && end > at) tell({ sync: 'wal' });
    seen = now;
  }

  /**
   * A checkpoint syncs the log, moves its pages and syncs the database, at NORMAL as at FULL. If the log grew meanwhile,
   * the checkpoint that completes it syncs for both.
   */
  function aroundMove(connection, statement) {
    const { name } = connection;
    const before = readFileSync(name);
    if (isMover) writeFileSync(telling, '');
    // The checkpointer's sync does not cover log writes after this moment.
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
