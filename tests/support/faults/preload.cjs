/**
 * Loaded into every thread of a node process before its own code (`NODE_OPTIONS=--require`): injects the faults of the
 * file `<TROUPE_FAULT_FOLDER>/<node>.json` into its store, its clock and its event loop (see fault-injector.ts). Disk faults
 * take effect in the database driver, right before or after COMMIT reaches SQLite, so all product code above that call
 * is real. Without a file nothing changes.
 */
const { existsSync, readFileSync, rmSync, statSync, appendFileSync, promises, watchFile } = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { join } = require('node:path');
const { isMainThread, parentPort } = require('node:worker_threads');

const folder = process.env.TROUPE_FAULT_FOLDER;
const flag = process.argv.indexOf('--name');
if (isMainThread) {
  // A thread has no arguments; it inherits the environment.
  if (flag > 0 && process.argv.includes('node')) process.env.TROUPE_FAULT_NODE = process.argv[flag + 1];
  else delete process.env.TROUPE_FAULT_NODE;
}
const node = process.env.TROUPE_FAULT_NODE;

const STOPPED_WITHIN_MS = 10_000;
const LOOK_MS = 10;
/** Shorter than any stop of a test. */
const STOPPED_MS = 1_000;

if (folder && node) {
  const file = join(folder, `${node}.json`);
  const faults = () => {
    try {
      return JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      return {};
    }
  };
  const note = (what) =>
    appendFileSync(join(folder, 'notes.jsonl'), `${JSON.stringify({ node, pid: process.pid, ...what })}\n`);
  const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const once = (kind) => {
    rmSync(file, { force: true });
    note({ effect: kind });
  };
  /**
   * Returns once the process was stopped and resumed. The signal goes to the process: this thread may stop at once, or
   * continue for a moment, on a busy machine for long, while another one receives it.
   */
  const freeze = () => {
    let seenAt = performance.now();
    process.kill(process.pid, 'SIGSTOP');
    for (let waited = 0; waited < STOPPED_WITHIN_MS; waited += LOOK_MS) {
      if (performance.now() - seenAt > STOPPED_MS) return;
      seenAt = performance.now();
      sleep(LOOK_MS);
    }
  };
  if (isMainThread) {
    shiftClock(faults);
    blockOnSignal(faults);
    fillDisk(faults);
    if (isOnPostgres()) failClient(require('pg').Client, { faults, once, freeze, note });
    else cutReads(require('better-sqlite3'), file);
  } else if (parentPort) {
    failWriter(require('better-sqlite3'), { faults, once, freeze, note, sleep });
    watchPort(note);
  }
}

/** The driver of the other store would be loaded for nothing: that of PostgreSQL takes 0.3 s of CPU time. */
function isOnPostgres() {
  const config = process.argv[process.argv.indexOf('--config') + 1];
  return JSON.parse(readFileSync(config, 'utf8')).store.kind === 'postgres';
}

/** Makes reads of the main thread fail as if the file were unreachable. Reads the fault file at intervals only. */
function cutReads(Database, file) {
  let cut = false;
  watchFile(file, { interval: 20, persistent: false }, () => {
    try {
      cut = JSON.parse(readFileSync(file, 'utf8')).cut === true;
    } catch {
      cut = false;
    }
  }).unref();
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    for (const verb of ['get', 'all', 'run', 'iterate']) {
      const real = statement[verb];
      if (typeof real !== 'function') continue;
      statement[verb] = function (...values) {
        if (cut) throw new Database.SqliteError('unable to open database file', 'SQLITE_CANTOPEN');
        return real.apply(this, values);
      };
    }
    return statement;
  };
}

/** Commits on PostgreSQL: one call each, so a node stops before or after it and never holds a lock. */
function failClient(Client, { faults, once, freeze, note }) {
  const { query } = Client.prototype;
  Client.prototype.query = function (call, ...rest) {
    if (call?.name !== 'commit_batch') return query.call(this, call, ...rest);
    if (faults().stop === 'before commit') {
      once('stopped before commit');
      freeze();
    }
    const answer = query.call(this, call, ...rest);
    answer?.then?.(
      ({ rows }) => {
        const fenced = rows[0]?.verdicts.filter((verdict) => verdict === 1).length ?? 0;
        if (fenced > 0) note({ fenced });
      },
      () => {},
    );
    return answer;
  };
}

/** The writer's transactions. */
function failWriter(Database, { faults, once, freeze, note, sleep }) {
  const { prepare } = Database.prototype;
  Database.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    if (sql === 'BEGIN IMMEDIATE') return { run: () => begin(statement) };
    if (sql === 'COMMIT') return { run: () => commit(this, statement) };
    return statement;
  };

  function begin(statement) {
    const { cut, stop } = faults();
    if (cut) throw new Database.SqliteError('unable to open database file', 'SQLITE_CANTOPEN');
    if (stop === 'before commit' && underCommit) {
      once('stopped before commit');
      freeze();
    }
    return statement.run();
  }

  function commit(connection, statement) {
    const { stop, slowMs, fsync, quotaBytes } = faults();
    if (stop === 'in transaction') {
      once('stopped in transaction');
      freeze();
    }
    // A slow sync delays all other writers, because it holds the lock. Connections that do not sync are not delayed.
    if (slowMs && connection.pragma('synchronous', { simple: true }) >= 2) sleep(slowMs);
    if (quotaBytes && sizeOf(connection.name) >= quotaBytes) {
      note({ effect: 'disk full' });
      throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
    }
    if (fsync === 'fails') {
      once('fsync failed');
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
    }
    if (fsync === 'fails behind the write') {
      once('fsync failed behind the write');
      statement.run();
      throw new Database.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
    }
    return statement.run();
  }
}

let underCommit = false;

/** The messages of the writer thread: whether it processes a commit, and every refused shard. */
function watchPort(note) {
  const { on, postMessage } = parentPort;
  parentPort.on = function (event, listener) {
    if (event !== 'message') return on.call(this, event, listener);
    return on.call(this, event, (request) => {
      underCommit = 'commit' in request;
      listener(request);
      underCommit = false;
    });
  };
  parentPort.postMessage = function (answer, ...rest) {
    const fenced = answer.verdicts?.filter((verdict) => verdict === 1).length ?? 0;
    if (fenced > 0) note({ fenced });
    if (answer.failure) note({ failure: answer.failure.kind });
    return postMessage.call(this, answer, ...rest);
  };
}

/** Shifts wall time only; the monotonic clock stays correct. */
function shiftClock(faults) {
  const real = Date.now;
  let byMs = 0;
  setInterval(() => {
    byMs = faults().clockMs ?? 0;
  }, 20).unref();
  byMs = faults().clockMs ?? 0;
  Date.now = () => real() + byMs;
}

/** SIGUSR2 blocks the event loop; the writer thread continues. */
function blockOnSignal(faults) {
  process.on('SIGUSR2', () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, faults().blockMs ?? 0);
  });
}

/** Creating a ballast fails on a full disk. */
function fillDisk(faults) {
  const { open } = promises;
  promises.open = async (path, ...rest) => {
    const { quotaBytes } = faults();
    if (quotaBytes && String(path).includes('.ballast')) {
      const database = String(path).replace(/\.ballast.*$/, '');
      const room = quotaBytes - sizeOf(database);
      const file = await open(path, ...rest);
      let left = room;
      const { write } = file;
      file.write = (bytes, offset, length, ...more) => {
        left -= length;
        if (left < 0) return Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
        return write.call(file, bytes, offset, length, ...more);
      };
      return file;
    }
    return open(path, ...rest);
  };
  syncBuiltinESMExports();
}

/** The size of a database: its file, its log, its ballast. */
function sizeOf(path) {
  return ['', '-wal', '.ballast', '.ballast.new']
    .map((end) => path + end)
    .reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0);
}
