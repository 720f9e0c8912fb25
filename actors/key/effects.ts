/**
 * The effects of the key's decisions: answers, and messages to its account. Pure; the chart decides when they apply.
 */
import { type ActorEvent, type Effect, ownerOf } from '../runtime/index.ts';
import { recordAudit } from '../terms/audit.ts';
import { plain } from '../terms/chart-tools.ts';
import type { Admission } from '../terms/hold.ts';
import { isFirstHold } from '../terms/hold.ts';
import { workspaceAddress } from '../terms/ids.ts';
import type { Refusal, RefusedAnswer } from '../terms/refusal.ts';
import { UNAUTHENTICATED } from '../terms/refusal.ts';
import { roomOf } from '../terms/spending.ts';
import type {
  JobAdmit,
  KeyCount,
  KeyCreate,
  KeyEdited,
  KeyLimit,
  KeyMove,
  KeySwitch,
  TurnAdmit,
  TurnRaise,
} from './events.ts';
import { type KeyState, perMinuteOf } from './key-state.ts';
import { refuseRate } from './rate.ts';

/** Only inference keys spend. (spec: inference, Authentication 5) */
const MESSAGES = {
  management: 'A management key manages keys only; this operation needs an inference key',
  provider: 'The key of a provider reads and reports for it only; this operation needs an inference key',
} as const;

export function reply(body: object): Effect {
  return { type: 'reply', body: plain(body) };
}

/** Sent to the account; committed together with this step or not at all. */
export function openHold(state: KeyState, { request, perMinute }: TurnAdmit): Effect {
  const event = { type: 'hold.open', request: plain(request), key: state.address, perMinute, ...inWorkspace(state) };
  return { type: 'send', to: state.account, event };
}

/** The workspace whose budget the hold counts in; absent: the default one. */
function inWorkspace({ workspace }: KeyState): { readonly workspace?: string } {
  return workspace === null ? {} : { workspace };
}

/** The hold of a job: the account grants it, or the whole submission is undone. */
export function openJobHold(state: KeyState, { request }: JobAdmit): Effect {
  const event = { type: 'job.hold', request: plain(request), key: state.address, ...inWorkspace(state) };
  return { type: 'send', to: state.account, event };
}

/** The hold of a job beyond the key's limit: the key reserves nothing, and the account refuses it. */
export function openJudgedJobHold(state: KeyState, { request, at }: JobAdmit): Effect {
  const left = { room: roomOf(state, at), keyHeld: state.held };
  const event = { type: 'job.hold', request: plain(request), key: state.address, ...left, ...inWorkspace(state) };
  return { type: 'send', to: state.account, event };
}

/**
 * Only the account can tell whether a later attempt replaces a hold that this key already counts, and whether an
 * idempotency key was used before, in which case the limit does not matter.
 */
export function isJudgedByAccount({ request }: TurnAdmit): boolean {
  return !isFirstHold(request.attempt) || request.idempotency !== undefined;
}

/**
 * The key reserves nothing and sends the rest of its limit; the account compares the difference with it and answers
 * with the amount the key has to add.
 */
export function openJudgedHold(state: KeyState, { request, perMinute, at }: TurnAdmit): Effect {
  const room = roomOf(state, at);
  const event = {
    type: 'hold.open',
    request: plain(request),
    key: state.address,
    perMinute,
    room,
    keyHeld: state.held,
    ...inWorkspace(state),
  };
  return { type: 'send', to: state.account, event };
}

/**
 * Sent to the account with the rest of the key's limit. The account has the row, so it checks the difference against
 * both balances.
 */
export function raiseHold(state: KeyState, { request, at }: TurnRaise): Effect {
  const left = { room: roomOf(state, at), keyHeld: state.held };
  const event = { type: 'hold.raise', request: plain(request), key: state.address, ...left };
  return { type: 'send', to: state.account, event };
}

/** Sent after the request was counted: the account answers whether it is open or suspended. */
export function askStanding(state: KeyState): Effect {
  return { type: 'send', to: state.account, event: { type: 'account.standing' } };
}

/** 429. The shape of the answer depends on the event. */
export function refuseForRate(state: KeyState, event: TurnAdmit | KeyCount): Effect {
  const refusal = refuseRate(perMinuteOf(state, event), event.at);
  return event.type === 'turn.admit' ? refuseTurn(refusal) : reply({ refusal });
}

/** 403 for a key of any other kind. */
export function refuseKind({ kind }: KeyState, { type }: TurnAdmit | JobAdmit): Effect {
  if (kind === 'inference') throw new Error('an inference key is refused for its kind');
  const refusal: Refusal = { status: 403, type: 'permission_denied', message: MESSAGES[kind] };
  return type === 'turn.admit' ? refuseTurn(refusal) : refuseJob(refusal);
}

export function refuseTurnCredential(): Effect {
  return refuseTurn(UNAUTHENTICATED);
}

export function refuseJobCredential(): Effect {
  return refuseJob(UNAUTHENTICATED);
}

export function refuseCountCredential(): Effect {
  return reply({ refusal: UNAUTHENTICATED });
}

export function reportIssued(state: KeyState): Effect {
  const event = { type: 'key.issued', key: state.address, label: state.label };
  return { type: 'send', to: state.account, event };
}

/** The entry of a change in the account's audit log. Digests stay out: the label tells the owner which key it is. */
export function recordChange(state: KeyState, event: ChangeEvent): Effect {
  const { address } = state;
  return recordAudit(address, { action: event.type, target: address, by: event.by, detail: detailOf(state, event) });
}

type ChangeEvent = KeyCreate | KeyLimit | KeySwitch | KeyEdited | KeyMove;

/** From the state after the change. */
function detailOf(state: KeyState, event: ChangeEvent): object {
  const { label, name, kind, limit, limitWindow, expiresAt, workspace, member, origin } = state;
  const limits = { limit, limit_reset: limitWindow };
  switch (event.type) {
    case 'key.create':
      return { label, name, kind, ...limits, expires_at: expiresAt, workspace, member, origin };
    case 'key.limit':
      return { label, ...limits };
    case 'key.edit':
      return { label, changed: event.edit };
    case 'key.move':
      return { label, workspace };
    default:
      return { label };
  }
}

/** To the workspace that a new, or moved, key enters; the default one counts no keys. */
export function joinWorkspace({ address, workspace, member }: KeyState): Effect[] {
  return toWorkspace(address, workspace, { type: 'workspace.join', member });
}

/** To the workspace that a key leaves: revoked, or moved. From the state before. */
export function leaveWorkspace({ address, workspace, member }: KeyState): Effect[] {
  return toWorkspace(address, workspace, { type: 'workspace.leave', member });
}

/** A change of the assigned member; from the state before. */
export function reassign({ address, workspace, member: from }: KeyState, { edit }: KeyEdited): Effect[] {
  const { member: to } = edit;
  if (to === undefined || to === from) return [];
  return toWorkspace(address, workspace, { type: 'workspace.assign', from, to });
}

function toWorkspace(address: string, workspace: string | null, event: ActorEvent): Effect[] {
  return workspace === null ? [] : [{ type: 'send', to: workspaceAddress(ownerOf(address), workspace), event }];
}

/** The answer to a repeated creation. */
export function answerIssued({ address: key, label }: KeyState): Effect {
  return reply({ key, label, created: false });
}

function refuseTurn(refusal: Refusal): Effect {
  return reply({ admitted: false, refusal } satisfies Admission);
}

function refuseJob(refusal: Refusal): Effect {
  return { type: 'refuse', body: plain({ refusal } satisfies RefusedAnswer) };
}
