/** A one-time sign-in link as a chart: it opens one session, in the commit that ends it. (rule K38) */
import { setup } from 'xstate';
import { assignOn, type Effect, emitOn, guardOn, ownerOf, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { plain, reply } from '../terms/chart-tools.ts';
import type { Principal } from '../terms/principal.ts';

/** The row of an open invitation; its id is the digest of the link's secret. */
export interface InvitationRecord {
  readonly invitation: string;
  readonly account: string;
  readonly by: Principal;
  /** Store times, ms. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface InvitationState {
  readonly address: string;
  /** Null only during the step that creates the invitation. */
  readonly invitation: InvitationRecord | null;
  readonly digest: string;
  /** Address of the session that it opened. */
  readonly session: string | null;
}

type InvitationCreate = Stamped & {
  readonly type: 'invitation.create';
  readonly digest: string;
  readonly lifetimeMs: number;
  readonly by: Principal;
};
/** `session` is the address of the session to open: the natural id of this acceptance. */
type InvitationAccept = Stamped & {
  readonly type: 'invitation.accept';
  readonly session: string;
  readonly digest: string;
  readonly lifetimeMs: number;
  readonly agent: string;
  /** Address of the client. */
  readonly from: string;
};
type InvitationEvent =
  | InvitationCreate
  | InvitationAccept
  | (Stamped & { readonly type: 'invitation.expire' })
  | (Stamped & { readonly type: 'invitation.forget' });

const EXPIRE = 'invitation.expire';
const FORGET = 'invitation.forget';
/** How long a used or expired invitation is remembered. */
const REMEMBERED_MS = 24 * 3_600_000;

export const INVITATION = 'invitation';

export const invitationMachine = setup({
  types: {} as { context: InvitationState; events: InvitationEvent; input: { address: string } },
  guards: {
    isNew: guardOn('*', ({ invitation }: InvitationState) => invitation === null),
    hasExpired: guardOn('*', (state: InvitationState, { at }) => at >= invitationOf(state).expiresAt),
    isRepeat: guardOn('invitation.accept', (state: InvitationState, { session }: InvitationAccept) => {
      return state.session === session;
    }),
  },
  actions: {
    keepInvitation: assignOn('invitation.create', created),
    putInvitation: emitOn('invitation.create', putInvitation),
    answerCreated: emitOn('*', (state: InvitationState) => reply({ expiresAt: invitationOf(state).expiresAt })),
    keepSession: assignOn('invitation.accept', (_: InvitationState, { session }: InvitationAccept) => ({ session })),
    openSession: emitOn('invitation.accept', openSession),
    endInvitation: emitOn('*', endInvitation),
    refuseEnded: emitOn('*', () => ({ type: 'refuse', body: { ended: true } })),
    forget: emitOn('*', () => ({ type: 'stop' })),
  },
}).createMachine({
  id: INVITATION,
  initial: 'open',
  context: ({ input }) => ({ address: input.address, invitation: null, digest: '', session: null }),
  options: { maxIterations: 1000 },
  states: {
    open: {
      on: {
        'invitation.create': [
          { guard: 'isNew', actions: ['keepInvitation', 'putInvitation', 'answerCreated'] },
          { actions: 'answerCreated' },
        ],
        'invitation.accept': [
          { guard: 'hasExpired', actions: 'refuseEnded' },
          { target: 'accepted', actions: ['keepSession', 'openSession', 'endInvitation'] },
        ],
        'invitation.expire': { target: 'expired', actions: 'endInvitation' },
      },
    },
    accepted: {
      on: { 'invitation.accept': [{ guard: 'isRepeat', actions: 'openSession' }, { actions: 'refuseEnded' }] },
    },
    expired: {},
  },
  on: {
    'invitation.create': { actions: 'answerCreated' },
    'invitation.accept': { actions: 'refuseEnded' },
    'invitation.expire': {},
    'invitation.forget': { actions: 'forget' },
  },
});

function invitationOf({ invitation }: InvitationState): InvitationRecord {
  if (invitation === null) throw new Error('an invitation is used before it is created');
  return invitation;
}

function created(state: InvitationState, { digest, lifetimeMs, by, at }: InvitationCreate): InvitationState {
  const { address } = state;
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new RangeError('the digest of an invitation must be 64 hex digits');
  const times = { createdAt: at, expiresAt: at + lifetimeMs };
  return { ...state, digest, invitation: { invitation: address, account: ownerOf(address), by, ...times } };
}

function putInvitation(state: InvitationState, { by }: InvitationCreate): readonly Effect[] {
  const record = invitationOf(state);
  const { invitation: target, expiresAt } = record;
  const detail = { expires_at: new Date(expiresAt).toISOString() };
  return [
    { type: 'put', collection: INVITATION, id: state.digest, body: plain(record) },
    { type: 'schedule', name: EXPIRE, at: expiresAt, event: { type: EXPIRE } },
    recordAudit(target, { action: 'invitation.create', target, by, detail }),
  ];
}

/** The session answers; a repeat finds it open. It acts for the principal that issued the invitation. */
function openSession(state: InvitationState, { session, digest, lifetimeMs, agent, from }: InvitationAccept): Effect {
  const { by } = invitationOf(state);
  const opener: Principal = { kind: by.kind, id: state.address, address: from };
  return { type: 'send', to: session, event: { type: 'session.open', digest, lifetimeMs, agent, by: plain(opener) } };
}

function endInvitation({ digest }: InvitationState, { at }: Stamped): Effect[] {
  return [
    { type: 'remove', collection: INVITATION, id: digest },
    { type: 'cancel', name: EXPIRE },
    { type: 'schedule', name: FORGET, at: at + REMEMBERED_MS, event: { type: FORGET } },
  ];
}
