/** The key's creation and its changes by the owner: each is shown to the account's feed, and recorded in its audit log. */
import { type ActorEvent, assignOn, type Effect, emitOn, guardOn, ownerOf, type Stamped } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { reply } from '../terms/chart-tools.ts';
import { workspaceAddress } from '../terms/ids.ts';
import type { KeyKind, Principal } from '../terms/principal.ts';
import type { LimitWindow } from '../terms/spending.ts';
import { usd } from '../terms/usd.ts';
import { putCredential } from './credential.ts';
import { type KeyState, type KeyStatus, nextOf } from './key-state.ts';
import { keyView, putKeyUpdated } from './statement.ts';

export interface NewKey {
  /** 64 hex (`terms/ids`: keyDigest). */
  readonly digest: string;
  /** Masked text (`terms/ids`: maskKey). */
  readonly label: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** Exact decimal USD; null is none. */
  readonly limit: string | null;
  readonly limitWindow: LimitWindow | null;
  /** Store time, ms. */
  readonly expiresAt: number | null;
  /** The key's own bound on requests per minute; null uses the configured bound. */
  readonly perMinute: number | null;
  /** Public handle (`terms/ids`: keyHandle). */
  readonly handle: string;
  /** Id of its workspace, which must exist; null or absent: the default one. */
  readonly workspace?: string | null;
  /** Id of the assigned member, who must be one of the workspace's unless that is the default one. */
  readonly member?: string | null;
  /** Origin of the callback of an approval in the browser. */
  readonly origin?: string | null;
  /** Recorded in the account's audit log. */
  readonly by: Principal;
}

/** Creates the key; its address is the natural id. */
type KeyCreate = Stamped & NewKey & { readonly type: 'key.create' };

/** What a change of a key may set; an absent member stays as it is. */
export interface KeyEdit {
  readonly name?: string;
  /** Exact decimal USD; null removes the limit. */
  readonly limit?: string | null;
  readonly limitWindow?: LimitWindow | null;
  /** Store time, ms; null: the key does not expire. */
  readonly expiresAt?: number | null;
  /** Id of the assigned member; null assigns nobody. */
  readonly member?: string | null;
  readonly disabled?: boolean;
}

type KeyEdited = Stamped & { readonly type: 'key.edit'; readonly edit: KeyEdit; readonly by: Principal };

/** Moves the key to another workspace of its account; null: the default one. */
type KeyMove = Stamped & {
  readonly type: 'key.move';
  readonly workspace: string | null;
  readonly by: Principal;
};

/** Revoked keys stay revoked. */
type KeySwitch = Stamped & {
  readonly type: 'key.disable' | 'key.enable' | 'key.revoke';
  readonly by: Principal;
};
type Change = KeyCreate | KeyEdited | KeyMove | KeySwitch;
export type ChangeEvent = Change | (Stamped & { readonly type: 'key.show' });
const CHANGES = ['key.create', 'key.edit', 'key.move', 'key.disable', 'key.enable', 'key.revoke'] as const;

function issue(state: KeyState, event: KeyCreate): KeyState {
  const { digest } = event;
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new RangeError('a key digest must be 64 lower case hex digits');
  const next = nextOf(state);
  next.digest = digest;
  next.label = event.label;
  next.name = event.name;
  next.kind = event.kind;
  next.limit = canonical(event.limit);
  next.limitWindow = event.limitWindow;
  next.expiresAt = event.expiresAt;
  next.createdAt = event.at;
  next.perMinute = event.perMinute;
  next.handle = event.handle;
  next.workspace = event.workspace ?? null;
  next.member = event.member ?? null;
  next.origin = event.origin ?? null;
  next.createdBy = event.by;
  return next;
}

function canonical(limit: string | null): string | null {
  return limit === null ? null : usd(limit);
}

/** Sets what the change names. A window without a limit has no effect and stays for a later limit. */
function edit(state: KeyState, { edit: change, at }: Pick<KeyEdited, 'edit' | 'at'>): KeyState {
  const next = nextOf(state);
  const { name, limit, limitWindow, expiresAt, member } = change;
  if (name !== undefined) next.name = name;
  if (limit !== undefined) next.limit = canonical(limit);
  if (limitWindow !== undefined) next.limitWindow = limitWindow;
  if (expiresAt !== undefined) next.expiresAt = expiresAt;
  if (member !== undefined) next.member = member;
  next.updatedAt = at;
  return next;
}

function move(state: KeyState, { workspace, at }: KeyMove): KeyState {
  const next = nextOf(state);
  next.workspace = workspace;
  next.updatedAt = at;
  return next;
}

/** Notes the time of a switch. */
function touch(state: KeyState, { at }: Stamped): KeyState {
  return edit(state, { edit: {}, at });
}

/** Sent to the account, which answers the creation. */
function reportIssued({ account, address: key, label }: KeyState): Effect {
  return { type: 'send', to: account, event: { type: 'key.issued', key, label } };
}

/** The answer to a repeated creation. */
function answerIssued({ address: key, label }: KeyState): Effect {
  return reply({ key, label, created: false });
}

/** The entry of a change in the account's audit log. Digests stay out: the label tells the owner which key it is. */
function recordChange(state: KeyState, event: Change): Effect {
  const { address } = state;
  return recordAudit(address, { action: event.type, target: address, by: event.by, detail: detailOf(state, event) });
}

/** From the state after the change. */
function detailOf(state: KeyState, event: Change): object {
  const { label, name, kind, limit, limitWindow, expiresAt, workspace, member, origin } = state;
  switch (event.type) {
    case 'key.create':
      return { label, name, kind, limit, limit_reset: limitWindow, expires_at: expiresAt, workspace, member, origin };
    case 'key.edit':
      return { label, changed: event.edit };
    case 'key.move':
      return { label, workspace };
    default:
      return { label };
  }
}

/** To the workspace that a new, or moved, key enters; the default one counts no keys. */
function joinWorkspace(state: KeyState): Effect[] {
  return toWorkspace(state, { type: 'workspace.join', member: state.member });
}

/** To the workspace that a key leaves: revoked, or moved. From the state before. */
function leaveWorkspace(state: KeyState): Effect[] {
  return toWorkspace(state, { type: 'workspace.leave', member: state.member });
}

/** A change of the assigned member; from the state before. */
function reassign(state: KeyState, { edit: { member: to } }: KeyEdited): Effect[] {
  const { member: from } = state;
  return to === undefined || to === from ? [] : toWorkspace(state, { type: 'workspace.assign', from, to });
}

function toWorkspace({ address, workspace }: KeyState, event: ActorEvent): Effect[] {
  return workspace === null ? [] : [{ type: 'send', to: workspaceAddress(ownerOf(address), workspace), event }];
}

/** The status of the chart's state. */
interface Shown {
  readonly status: KeyStatus;
}

export const guards = {
  isNew: guardOn('*', ({ createdAt }: KeyState) => createdAt === null),
  isThere: guardOn('key.move', (state: KeyState, { workspace }: KeyMove) => state.workspace === workspace),
  disables: guardOn('key.edit', (_: KeyState, event: KeyEdited) => event.edit.disabled === true),
  enables: guardOn('key.edit', (_: KeyState, event: KeyEdited) => event.edit.disabled === false),
};

/** `reassign` and `leaveWorkspace` come before the assignment: they follow from the state before the event. */
export const actions = {
  issue: assignOn('key.create', issue),
  edit: assignOn<KeyState, KeyEdited>('key.edit', edit),
  move: assignOn('key.move', move),
  touch: assignOn('*', touch),
  reportIssued: emitOn('*', reportIssued),
  answerIssued: emitOn('*', answerIssued),
  recordChange: emitOn(CHANGES, recordChange),
  joinWorkspace: emitOn('*', joinWorkspace),
  leaveWorkspace: emitOn('*', leaveWorkspace),
  reassign: emitOn('key.edit', reassign),
  putCredential: emitOn('*', (state: KeyState, _, { status }: Shown) => putCredential(state, status)),
  putFeedEvent: emitOn('*', (state: KeyState, { at }, { status }: Shown) => putKeyUpdated(state, status, at)),
  show: emitOn('*', (state: KeyState, { at }, { status }: Shown) => reply(keyView(state, status, at))),
};
