/**
 * Opens one connection with bounds on every wait and lock and with synchronous commits. Refuses a server that cannot
 * guarantee durability.
 */
import pg from 'pg';
import { UnfitDatabase } from '../migration.ts';
import type { ConnectionBounds } from '../store-choice.ts';
import { messageOf, sqlState } from './failure.ts';

export interface ConnectOptions {
  readonly url: string;
  readonly bounds: ConnectionBounds;
  readonly applicationName: string;
  /** Called when the connection ends by itself. */
  readonly ended?: () => void;
}

const VERSION_MIN = 140_000;
const INT8_OID = 20;

interface ServerProperties {
  readonly version: number;
  readonly encoding: string;
  readonly fsync: string;
  readonly standby: boolean;
}

/**
 * Settings by name. The planner settings suit a store with an index for every query: plans are made once and do not
 * depend on the statistics of a table that was still empty.
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
  const { rows } = await client.query<ServerProperties>(
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
  if (encoding !== 'UTF8') unfit(`has a database in the encoding ${encoding}: create one in UTF8`);
  if (fsync !== 'on') unfit('runs with fsync off and can lose acknowledged commits: set fsync = on');
  if (standby) unfit('is a standby and accepts no writes: use the address of the primary');
}

/** 64-bit integers are versions, epochs and counters: all below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return oid === INT8_OID && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text');
}

/** The URL without its password, for messages and logs. */
export function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password) parsed.password = '***';
    return parsed.href;
  } catch {
    return 'the configured PostgreSQL address';
  }
}

/** A one-line message for the operator: the problem with the database at `url` and the remedy. */
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
