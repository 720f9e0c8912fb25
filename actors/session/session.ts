/** The kind of sessions, and its client functions. */
import type { Cluster, Json, Kind, RowReader, View } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { EVERY_STEP } from '../terms/history.ts';
import type { Principal } from '../terms/principal.ts';
import { SESSION, type SessionState, sessionMachine } from './session.machine.ts';
import { type SessionRecord, sessionCollection } from './session-record.ts';

export const sessionKind: Kind = {
  name: SESSION,
  machine: sessionMachine,
  version: 1,
  creates: ['session.open'],
  finishes: ['session.close'],
  volatile: [],
  collections: { [SESSION]: sessionCollection },
  history: EVERY_STEP,
  explain,
  redact: (context: Json) => plain({ ...(context as unknown as SessionState), digest: 'redacted' }),
};

/** Sessions of an account that one list shows. */
export const SESSIONS_MAX = 200;

interface NewSession {
  /** `terms/one-time`: secretDigest. */
  readonly digest: string;
  readonly lifetimeMs: number;
  readonly by: Principal;
  readonly agent: string;
}

/** `session` is an address, the natural id. Resolves with the store time in ms at which the session ends. */
export async function openSession(
  cluster: Cluster,
  session: string,
  made: NewSession,
  withinMs: number,
): Promise<{ readonly expiresAt: number }> {
  const event = { type: 'session.open', ...made, by: plain(made.by) };
  return ask<{ readonly expiresAt: number }>(cluster, session, event, withinMs);
}

/** Ends a session; a session that has ended stays so. */
export async function closeSession(cluster: Cluster, session: string, by: Principal, withinMs: number): Promise<void> {
  await ask(cluster, session, { type: 'session.close', by: plain(by) }, withinMs);
}

/** The open session of a digest; null for any other. */
export async function findSession(
  cluster: Pick<Cluster, 'rows' | 'now'>,
  digest: string,
): Promise<SessionRecord | null> {
  const row = await cluster.rows.rowById(SESSION, digest);
  const record = row === null ? null : (JSON.parse(row.body) as SessionRecord);
  return record === null || record.expiresAt <= cluster.now() ? null : record;
}

/** Open sessions of an account (its id), newest first. */
export async function listSessions(
  reader: Pick<RowReader, 'rows'>,
  account: string,
  now: number,
): Promise<readonly SessionRecord[]> {
  const where = { column: 0, equals: account } as const;
  const rows = await reader.rows({ collection: SESSION, where, order: 'descending', limit: SESSIONS_MAX });
  return rows.map(({ body }) => JSON.parse(body) as SessionRecord).filter(({ expiresAt }) => expiresAt > now);
}

function explain({ state, context }: View): readonly string[] {
  const { session } = context as unknown as SessionState;
  if (session === null) return ['The session is being opened.'];
  const { by, createdAt, expiresAt } = session;
  const since = `Opened ${new Date(createdAt).toISOString()} by ${by.kind} ${by.id}.`;
  if (state !== 'open') return [`The session is ${state}: its cookie opens nothing.`, since];
  return [`The session is open until ${new Date(expiresAt).toISOString()}.`, since];
}
