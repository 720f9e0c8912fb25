/**
 * Requests that a key admits: it counts them against its rate, checks itself and its limit, and asks its account for
 * the hold. What the account then holds, moves, frees and charges changes the key's sums in the same commit.
 */
import { assignOn, type Effect, emitOn, guardOn, type Stamped } from '../runtime/index.ts';
import { plain, refuse, reply } from '../terms/chart-tools.ts';
import { type Admission, type HoldRequest, isFirstHold } from '../terms/hold.ts';
import { type Refusal, UNAUTHENTICATED } from '../terms/refusal.ts';
import { roomOf, spend } from '../terms/spending.ts';
import type { UsagePart } from '../terms/usage.ts';
import { add, isUsd, subtract } from '../terms/usd.ts';
import { isExpired, type KeyState, nextOf } from './key-state.ts';
import { count, counted, refuseRate } from './rate.ts';

/** `perMinute`, here and below, is the configured bound, used when the key has none of its own. */
type TurnAdmit = Stamped & {
  readonly type: 'turn.admit';
  readonly request: HoldRequest;
  readonly perMinute: number;
};

/**
 * From a job in the commit that creates it, whose route has counted the request: asks for its hold. A refusal undoes the
 * submission; nothing is answered.
 */
type JobAdmit = Stamped & { readonly type: 'job.admit'; readonly request: HoldRequest };

/** The turn moves to another endpoint; `request.attempt` is higher than the attempt that holds. */
type TurnRaise = Stamped & { readonly type: 'turn.raise'; readonly request: HoldRequest };

type KeyCount = Stamped & { readonly type: 'key.count'; readonly perMinute: number };

/** From the account, committed together with its step: a hold was charged. `held` is freed, `cost` is spent. */
export type SpendRecord = Stamped & {
  readonly type: 'spend.record';
  readonly cost: string;
  readonly held: string;
  readonly part: UsagePart;
};
/** From the account: `count` holds with a sum of `amount` ended without a charge. */
type HoldClosed = Stamped & { readonly type: 'hold.closed'; readonly amount: string; readonly count: number };
/** From the account: a hold was replaced by one that differs by `delta`, or a later attempt opened another of `delta`. */
type HoldMoved = Stamped & { readonly type: 'hold.moved'; readonly delta: string };
/** The account refused the hold: the key frees the amount it reserved. */
type HoldRefused = Stamped & { readonly type: 'hold.refused'; readonly amount: string };

export type HoldEvent =
  | TurnAdmit
  | JobAdmit
  | TurnRaise
  | KeyCount
  | SpendRecord
  | HoldClosed
  | HoldMoved
  | HoldRefused;

function perMinuteOf(state: KeyState, event: TurnAdmit | KeyCount): number {
  return state.perMinute ?? event.perMinute;
}

/** A request that was counted before is never over the rate. */
function isOverRate(state: KeyState, event: TurnAdmit | KeyCount): boolean {
  return !isCounted(event) && counted(state.rate, event.at) >= perMinuteOf(state, event);
}

function isCounted(event: TurnAdmit | JobAdmit | KeyCount): boolean {
  return event.type === 'job.admit' || (event.type === 'turn.admit' && event.request.counted === true);
}

/** True for a request of a job that was accepted in another workspace. (rule K21) */
function hasMoved({ workspace }: KeyState, { request }: TurnAdmit): boolean {
  return request.workspace !== undefined && request.workspace !== workspace;
}

/**
 * Only the account can tell whether a later attempt replaces a hold that this key already counts, and whether an
 * idempotency key was used before, in which case the limit does not matter.
 */
function isJudgedByAccount(_: KeyState, { request }: TurnAdmit): boolean {
  return !isFirstHold(request.attempt) || request.idempotency !== undefined;
}

/** True when charges of the window, open holds and this amount together exceed the limit. */
function exceedsLimit(state: KeyState, { request, at }: TurnAdmit | JobAdmit): boolean {
  if (!isUsd(request.amount)) throw new RangeError('the amount of a hold must be a decimal in USD');
  const room = roomOf(state, at);
  return room !== null && subtract(room, request.amount).startsWith('-');
}

/** Counts the request unless it was counted before. */
function countRequest(state: KeyState, event: TurnAdmit | KeyCount): KeyState {
  if (isCounted(event)) return state;
  const next = nextOf(state);
  next.rate = count(state.rate, event.at);
  return next;
}

/**
 * Counts the request, unless it was counted before, and reserves its hold. When the account refuses, the reservation is
 * undone but the count stays.
 */
function reserve(state: KeyState, event: TurnAdmit | JobAdmit): KeyState {
  const next = nextOf(state);
  if (!isCounted(event)) next.rate = count(state.rate, event.at);
  next.held = add(state.held, event.request.amount);
  return next;
}

/** `delta` may be negative. */
function moveHeld(state: KeyState, { delta }: HoldMoved): KeyState {
  const next = nextOf(state);
  next.held = add(state.held, delta);
  return next;
}

function giveBack(state: KeyState, { amount }: HoldClosed | HoldRefused): KeyState {
  const next = nextOf(state);
  next.held = subtract(state.held, amount);
  return next;
}

function charge(state: KeyState, { cost, held, at }: SpendRecord): KeyState {
  const next = nextOf(state);
  next.held = subtract(state.held, held);
  next.spending = spend(state.spending, cost, at);
  return next;
}

/** Sent to the account; committed together with this step or not at all. */
function openHold(state: KeyState, { request, perMinute }: TurnAdmit): Effect {
  const event = { type: 'hold.open', request: plain(request), key: state.address, perMinute, ...inWorkspace(state) };
  return { type: 'send', to: state.account, event };
}

/**
 * The key reserves nothing and sends the rest of its limit; the account compares the difference with it and answers
 * with the amount the key has to add.
 */
function openJudgedHold(state: KeyState, { request, perMinute, at }: TurnAdmit): Effect {
  const hold = { request: plain(request), key: state.address, perMinute, ...leftOf(state, at) };
  return { type: 'send', to: state.account, event: { type: 'hold.open', ...hold, ...inWorkspace(state) } };
}

/** The hold of a job: the account grants it, or the whole submission is undone. */
function openJobHold(state: KeyState, { request }: JobAdmit): Effect {
  const event = { type: 'job.hold', request: plain(request), key: state.address, ...inWorkspace(state) };
  return { type: 'send', to: state.account, event };
}

/** The hold of a job beyond the key's limit: the key reserves nothing, and the account refuses it. */
function openJudgedJobHold(state: KeyState, { request, at }: JobAdmit): Effect {
  const hold = { request: plain(request), key: state.address, ...leftOf(state, at) };
  return { type: 'send', to: state.account, event: { type: 'job.hold', ...hold, ...inWorkspace(state) } };
}

/**
 * Sent to the account with the rest of the key's limit. The account has the row, so it checks the difference against
 * both balances.
 */
function raiseHold(state: KeyState, { request, at }: TurnRaise): Effect {
  const event = { type: 'hold.raise', request: plain(request), key: state.address, ...leftOf(state, at) };
  return { type: 'send', to: state.account, event };
}

/** The workspace whose budget the hold counts in; absent: the default one. */
function inWorkspace({ workspace }: KeyState): { readonly workspace?: string } {
  return workspace === null ? {} : { workspace };
}

/** The rest of the key's limit, and what its open holds take of it. */
function leftOf(state: KeyState, at: number): { readonly room: string | null; readonly keyHeld: string } {
  return { room: roomOf(state, at), keyHeld: state.held };
}

/** Sent after the request was counted: the account answers whether it is open or suspended. */
function askStanding({ account }: KeyState): Effect {
  return { type: 'send', to: account, event: { type: 'account.standing' } };
}

/** 429. The shape of the answer depends on the event. */
function refuseForRate(state: KeyState, event: TurnAdmit | KeyCount): Effect {
  const refusal = refuseRate(perMinuteOf(state, event), event.at);
  return event.type === 'turn.admit' ? refuseTurn(refusal) : reply({ refusal });
}

/** Only inference keys spend. (rule K9) */
const MESSAGES = {
  management: 'A management key manages keys only; this operation needs an inference key',
  provider: 'The key of a provider reads and reports for it only; this operation needs an inference key',
} as const;

/** 403 for a key of any other kind. */
function refuseKind({ kind }: KeyState, { type }: TurnAdmit | JobAdmit): Effect {
  if (kind === 'inference') throw new Error('an inference key is refused for its kind');
  const refusal: Refusal = { status: 403, type: 'permission_denied', message: MESSAGES[kind] };
  return type === 'turn.admit' ? refuseTurn(refusal) : refuse(refusal);
}

function refuseTurn(refusal: Refusal): Effect {
  return reply({ admitted: false, refusal } satisfies Admission);
}

export const guards = {
  isRepeat: guardOn('turn.admit', (_: KeyState, { request }: TurnAdmit) => request.repeat),
  isOverRate: guardOn(['turn.admit', 'key.count'], isOverRate),
  isExpired: guardOn('*', (state: KeyState, { at }) => isExpired(state, at)),
  hasMoved: guardOn('turn.admit', hasMoved),
  cannotSpend: guardOn('*', ({ kind }: KeyState) => kind !== 'inference'),
  isJudgedByAccount: guardOn('turn.admit', isJudgedByAccount),
  exceedsLimit: guardOn(['turn.admit', 'job.admit'], exceedsLimit),
};

export const actions = {
  count: assignOn(['turn.admit', 'key.count'], countRequest),
  reserve: assignOn(['turn.admit', 'job.admit'], reserve),
  openHold: emitOn('turn.admit', openHold),
  openJudgedHold: emitOn('turn.admit', openJudgedHold),
  openJobHold: emitOn('job.admit', openJobHold),
  openJudgedJobHold: emitOn('job.admit', openJudgedJobHold),
  raiseHold: emitOn('turn.raise', raiseHold),
  askStanding: emitOn('*', askStanding),
  refuseRate: emitOn(['turn.admit', 'key.count'], refuseForRate),
  refuseKind: emitOn(['turn.admit', 'job.admit'], refuseKind),
  refuseTurn: emitOn('*', () => refuseTurn(UNAUTHENTICATED)),
  refuseJob: emitOn('*', () => refuse(UNAUTHENTICATED)),
  refuseCount: emitOn('*', () => reply({ refusal: UNAUTHENTICATED })),
  charge: assignOn('spend.record', charge),
  giveBack: assignOn(['hold.closed', 'hold.refused'], giveBack),
  moveHeld: assignOn('hold.moved', moveHeld),
};
