/**
 * A person's session as a chart: open until it is closed or expires. Its row exists only while it is open, so
 * a reader needs no actor. The session of a management key also ends with the key: its reader asks the key. (rule K36)
 */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, ownerOf, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { Principal } from '../terms/principal.ts';
import type { SessionRecord } from './session-record.ts';

export interface SessionState {
  readonly address: string;
  /** Null only during the step that opens the session. */
  readonly session: SessionRecord | null;
  /** Digest of the session's secret: names its row. */
  readonly digest: string;
}

type SessionOpen = Stamped & {
  readonly type: 'session.open';
  readonly digest: string;
  readonly lifetimeMs: number;
  readonly by: Principal;
  readonly agent: string;
};
type SessionClose = Stamped & { readonly type: 'session.close'; readonly by: Principal };
type SessionEvent =
  | SessionOpen
  | SessionClose
  | (Stamped & { readonly type: 'session.expire' })
  | (Stamped & { readonly type: 'session.forget' });

const EXPIRE = 'session.expire';
const FORGET = 'session.forget';
/** How long an ended session is remembered, so that its second end is no failure. */
const REMEMBERED_MS = 24 * 3_600_000;
const AGENT_CHARACTERS_MAX = 200;

export const SESSION = 'session';

export const sessionMachine = setup({
  types: {} as { context: SessionState; events: SessionEvent; input: { address: string } },
  guards: { isNew: guardOn('*', ({ session }: SessionState) => session === null) },
  actions: {
    keepSession: assignOn('session.open', opened),
    putSession: emitOn('session.open', putSession),
    answerOpened: emitOn('*', (state: SessionState) => reply({ expiresAt: sessionOf(state).expiresAt })),
    endSession: emitOn('*', endSession),
    recordClose: emitOn('session.close', ({ address: target }: SessionState, { by }: SessionClose) =>
      recordAudit(target, { action: 'session.close', target, by }),
    ),
    answerClosed: emitOn('*', () => reply({ closed: true })),
    refuseEnded: emitOn('*', () => ({ type: 'refuse', body: { ended: true } })),
    forget: emitOn('*', () => ({ type: 'stop' })),
  },
}).createMachine({
  id: SESSION,
  initial: 'open',
  context: ({ input }) => ({ address: input.address, session: null, digest: '' }),
  options: { maxIterations: 1000 },
  states: {
    open: {
      on: {
        'session.open': [
          { guard: 'isNew', actions: ['keepSession', 'putSession', 'answerOpened'] },
          { actions: 'answerOpened' },
        ],
        'session.close': { target: 'closed', actions: ['endSession', 'recordClose', 'answerClosed'] },
        'session.expire': { target: 'expired', actions: 'endSession' },
      },
    },
    closed: {},
    expired: {},
  },
  on: {
    'session.open': { actions: 'refuseEnded' },
    'session.close': { actions: 'answerClosed' },
    'session.expire': {},
    'session.forget': { actions: 'forget' },
  },
});

function sessionOf({ session }: SessionState): SessionRecord {
  if (session === null) throw new Error('a session is used before it is opened');
  return session;
}

function opened({ address }: SessionState, { digest, lifetimeMs, by, agent, at }: SessionOpen): SessionState {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new RangeError('the digest of a session must be 64 lower case hex digits');
  const account = ownerOf(address);
  const times = { createdAt: at, expiresAt: at + lifetimeMs };
  return {
    address,
    digest,
    session: { session: address, account, by, agent: agent.slice(0, AGENT_CHARACTERS_MAX), ...times },
  };
}

function putSession(state: SessionState, { by }: SessionOpen): readonly Effect[] {
  const record = sessionOf(state);
  const { agent, expiresAt } = record;
  return [
    { type: 'put', collection: SESSION, id: state.digest, body: plain(record) },
    { type: 'schedule', name: EXPIRE, at: expiresAt, event: { type: EXPIRE } },
    recordAudit(state.address, { action: 'session.open', target: state.address, by, detail: { agent } }),
  ];
}

function endSession({ digest }: SessionState, { at }: Stamped): Effect[] {
  return [
    { type: 'remove', collection: SESSION, id: digest },
    { type: 'cancel', name: EXPIRE },
    { type: 'schedule', name: FORGET, at: at + REMEMBERED_MS, event: { type: FORGET } },
  ];
}
