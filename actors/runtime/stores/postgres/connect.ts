/**
 * One connection, set so that nothing on it can wait or hold a lock without end, and so that a commit is on the disk
 * before it is acknowledged. Refuses a server that cannot keep that promise.
 */
import pg from 'pg';
import { UnfitDatabase } from '../migration.ts';
import { messageOf, sqlState } from './failure.ts';

/** Bounds of one connection; times in ms. */
export interface ConnectionBounds {
  readonly connectMs: number;
  /** Longest wait for one lock; beyond it the call fails. */
  readonly lockMs: number;
  /** Longest run of one call on the server. */
  readonly statementMs: number;
  /** A transaction left open by a process that stands still ends after this. */
  readonly idleInTransactionMs: number;
  /** The server drops a peer that acknowledges nothing for this long. */
  readonly peerSilentMs: number;
  /** Probes on an idle connection, from both sides. */
  readonly keepAliveMs: number;
}

export interface ConnectOptions {
  readonly url: string;
  readonly bounds: ConnectionBounds;
  readonly applicationName: string;
  /** Given up as broken: the connection ended by itself. */
  readonly ended?: () => void;
}

const VERSION_MIN = 140_000;
const INT8_OID = 20;

interface Seen {
  readonly version: number;
  readonly encoding: string;
  readonly fsync: string;
  readonly standby: boolean;
}

/**
 * Settings by name. The planner's are those of a store whose every query has its index: plans are made once, and never
 * by what an empty table looked like.
 */
function settings(bounds: ConnectionBounds): readonly (readonly [string, string])[] {
  return [
    ['lock_timeout', `${bounds.lockMs}`],
    ['statement_timeout', `${bounds.statementMs}`],
    ['idle_in_transaction_session_timeout', `${bounds.idleInTransactionMs}`],
    ['tcp_user_timeout', `${bounds.peerSilentMs}`],
    ['tcp_keepalives_idle', `${Math.max(1, Math.round(bounds.keepAliveMs / 1_000))}`],
    ['tcp_keepalives_interval', '1'],
    ['tcp_keepalives_count', '3'],
    ['jit', 'off'],
    ['plan_cache_mode', 'force_generic_plan'],
    ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((method) => [`enable_${method}`, 'off'] as const),
  ];
}

/** Rejects with the driver's error, or with UnfitDatabase. */
export async function connect({ url, bounds, applicationName, ended }: ConnectOptions): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: bounds.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: bounds.keepAliveMs,
    types: { getTypeParser },
  });
  client.on('error', () => ended?.());
  client.on('end', () => ended?.());
  try {
    await client.connect();
    await prepare(client, bounds);
    return client;
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
}

async function prepare(client: pg.Client, bounds: ConnectionBounds): Promise<void> {
  const all = settings(bounds);
  const calls = all.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, false)`).join(', ');
  const { rows } = await client.query<Seen>(
    `SELECT ${calls}, set_config('synchronous_commit', CASE current_setting('synchronous_commit')
        WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
      current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
      current_setting('fsync') AS fsync, pg_is_in_recovery() AS standby`,
    all.flat(),
  );
  const { version = 0, encoding = '', fsync = '', standby = false } = rows[0] ?? {};
  const unfit = (why: string): never => {
    throw new UnfitDatabase(`the PostgreSQL server ${why}`);
  };
  if (version < VERSION_MIN) unfit(`is older than version 14: use a newer one`);
  if (encoding !== 'UTF8') unfit(`has a database in the encoding ${encoding}: make one in UTF8`);
  if (fsync !== 'on') unfit('runs with fsync off, so that it may forget what it acknowledged: set fsync = on');
  if (standby) unfit('is a standby, which takes no writes: name the primary in the address');
}

/** 64-bit integers are versions, epochs and counters here: all below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8_OID && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** The address without its password, for messages and logs. */
export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password) parsed.password = '***';
    return parsed.href;
  } catch {
    return 'the configured PostgreSQL address';
  }
}

/** One line for whoever starts a node: what is wrong with the database at `url`, and what to do about it. */
export function openingAdvice(url: string, error: unknown): string {
  const where = withoutPassword(url);
  const detail = messageOf(error);
  const code = sqlState(error) ?? (error as { code?: string } | null)?.code ?? '';
  if (code.startsWith('28')) return `the database ${where} refuses this login (${detail}): correct user and password`;
  if (code === '3D000') return `the database ${where} does not exist (${detail}): create it first`;
  if (code === '42501')
    return `the database ${where} may not be changed (${detail}): give its user the right to create`;
  if (code === '53300') return `the database ${where} has no connection left (${detail}): raise its max_connections`;
  if (code === '55P03' || code === '57014') {
    return `the database ${where} stays locked (${detail}): end the session that holds it`;
  }
  return `cannot open the database ${where}: ${detail}; is the server running, and is the address right?`;
}
