/** The kind of one-time sign-in links, and its client functions. */
import type { Cluster, Json, Kind, View } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { EVERY_STEP } from '../terms/history.ts';
import type { Principal } from '../terms/principal.ts';
import { INVITATION, type InvitationRecord, type InvitationState, invitationMachine } from './invitation.machine.ts';

export const invitationKind: Kind = {
  name: INVITATION,
  machine: invitationMachine,
  version: 1,
  creates: ['invitation.create'],
  finishes: [],
  volatile: [],
  collections: {
    [INVITATION]: {
      sort: (row: InvitationRecord) => row.createdAt,
      index: [({ account }: InvitationRecord) => account],
    },
  },
  history: EVERY_STEP,
  explain,
  redact: (context: Json) => plain({ ...(context as unknown as InvitationState), digest: 'redacted' }),
};

interface NewInvitation {
  /** `terms/one-time`: secretDigest. */
  readonly digest: string;
  readonly lifetimeMs: number;
  readonly by: Principal;
}

/** `invitation` is an address, the natural id. Resolves with the store time in ms until which the link works. */
export async function createInvitation(
  cluster: Cluster,
  invitation: string,
  { digest, lifetimeMs, by }: NewInvitation,
  withinMs: number,
): Promise<{ readonly expiresAt: number }> {
  const event = { type: 'invitation.create', digest, lifetimeMs, by: plain(by) };
  return ask<{ readonly expiresAt: number }>(cluster, invitation, event, withinMs);
}

/** The open invitation of a digest; null for any other. */
export async function findInvitation(
  cluster: Pick<Cluster, 'rows' | 'now'>,
  digest: string,
): Promise<InvitationRecord | null> {
  const row = await cluster.rows.rowById(INVITATION, digest);
  const record = row === null ? null : (JSON.parse(row.body) as InvitationRecord);
  return record === null || record.expiresAt <= cluster.now() ? null : record;
}

interface Acceptance {
  /** Address of the session to open, the natural id. */
  readonly session: string;
  /** Digest of the session's secret. */
  readonly digest: string;
  readonly lifetimeMs: number;
  readonly agent: string;
  /** Address of the client. */
  readonly from: string;
}

/** Opens the session and ends the invitation, in one commit. False: the invitation was used or has expired. */
export async function acceptInvitation(
  cluster: Cluster,
  invitation: string,
  acceptance: Acceptance,
  withinMs: number,
): Promise<boolean> {
  const event = { type: 'invitation.accept', ...acceptance };
  return 'expiresAt' in (await ask<object>(cluster, invitation, event, withinMs));
}

function explain({ state, context }: View): readonly string[] {
  const { invitation, session } = context as unknown as InvitationState;
  if (invitation === null) return ['The invitation is being created.'];
  if (state === 'accepted') return [`The link was used: it opened ${session}.`];
  const until = new Date(invitation.expiresAt).toISOString();
  return [state === 'open' ? `The link works once, until ${until}.` : `The link has expired at ${until}.`];
}
