/** The key's view for its owner (`GET /key`), and its explanation in sentences for an operator. */
import { type Effect, ownerOf, type View } from '../runtime/index.ts';
import { putFeedEvent } from '../terms/feed-event.ts';
import type { KeyKind } from '../terms/principal.ts';
import { roomOf, spentIn, windowEnd } from '../terms/spending.ts';
import { compare, isNegative } from '../terms/usd.ts';
import { isExpired, type KeyState, type KeyStatus } from './key-state.ts';
import { counted, RATE_WINDOW_MS } from './rate.ts';

/** Answer of `key.show`. Amounts are exact decimal USD, times store time in ms. */
export interface KeyView extends Omit<KeyState, 'address' | 'digest' | 'spending' | 'rate'> {
  readonly key: string;
  readonly status: KeyStatus | 'expired';
  /** The limit minus charges of the window and open holds, never negative; null without a limit. */
  readonly limitRemaining: string | null;
  /** When the next window of the limit begins; null without a window. */
  readonly limitResetAt: number | null;
  readonly usage: string;
  readonly usageDaily: string;
  readonly usageWeekly: string;
  readonly usageMonthly: string;
}

export function keyView(state: KeyState, status: KeyStatus, at: number): KeyView {
  const { address: key, account, label, name, kind, limit, limitWindow, spending, held, createdAt, expiresAt } = state;
  const room = roomOf(state, at);
  return {
    key,
    account,
    label,
    name,
    kind,
    status: status === 'active' && isExpired(state, at) ? 'expired' : status,
    limit,
    limitWindow,
    limitRemaining: room !== null && isNegative(room) ? '0' : room,
    limitResetAt: limit === null || limitWindow === null ? null : windowEnd(limitWindow, at),
    usage: spending.total,
    usageDaily: spentIn(spending, 'daily', at),
    usageWeekly: spentIn(spending, 'weekly', at),
    usageMonthly: spentIn(spending, 'monthly', at),
    held,
    createdAt,
    expiresAt,
    updatedAt: state.updatedAt,
    perMinute: state.perMinute,
    handle: state.handle,
    workspace: state.workspace,
    member: state.member,
    origin: state.origin,
    createdBy: state.createdBy,
  };
}

/** The event of the account's feed for a change of the key's limits or state. */
export function putKeyUpdated(state: KeyState, status: KeyStatus, at: number): Effect {
  const { address } = state;
  const id = address.slice(address.indexOf('/') + 1);
  return putFeedEvent({ id, account: ownerOf(address), type: 'key.updated', at, object: keyView(state, status, at) });
}

export function explainKey(view: View): readonly string[] {
  const state = view.context as unknown as KeyState;
  const lines = [explainStatus(state, view.state, view.now), explainLimit(state, view.now)];
  lines.push(
    state.held === '0' ? 'No request of this key is running.' : `Running requests of this key hold ${state.held} USD.`,
    `${state.spending.total} USD spent in all, ${spentIn(state.spending, 'daily', view.now)} USD today.`,
    explainRate(state, view.now),
  );
  return lines;
}

function explainStatus(state: KeyState, status: string, now: number): string {
  if (status === 'revoked') return 'This key is revoked for good: every request with it is answered 401.';
  if (status === 'disabled') return 'This key is disabled: every request with it is answered 401 until it is enabled.';
  if (state.expiresAt !== null && isExpired(state, now)) {
    return `This key expired at ${iso(state.expiresAt)}: every request with it is answered 401.`;
  }
  const until = state.expiresAt === null ? '' : ` until ${iso(state.expiresAt)}`;
  return `This key is active${until}: it ${WHAT[state.kind]}.`;
}

const WHAT: Readonly<Record<KeyKind, string>> = {
  inference: 'may spend',
  management: 'manages keys and spends nothing',
  provider: 'reads and reports for the provider of its account and spends nothing',
};

function explainLimit(state: KeyState, now: number): string {
  const { limit, limitWindow, spending } = state;
  if (limit === null) return 'It has no spending limit of its own; its account is the only bound.';
  const spent = spentIn(spending, limitWindow, now);
  const where = limitWindow === null ? 'over its whole life' : `in the ${limitWindow} window`;
  const resets = limitWindow === null ? 'it does not reset' : `it resets at ${iso(windowEnd(limitWindow, now))}`;
  const room = roomOf(state, now) ?? '0';
  if (compare(spent, limit) >= 0) {
    return `This key is exhausted: ${spent} of ${limit} USD spent ${where}; ${resets}.`;
  }
  const held = state.held === '0' ? '' : ` and ${state.held} USD held`;
  return `${spent} of ${limit} USD spent ${where}${held}: ${isNegative(room) ? '0' : room} USD may still be held; ${resets}.`;
}

function explainRate(state: KeyState, now: number): string {
  const requests = counted(state.rate, now);
  const bound = state.perMinute === null ? 'the configured bound' : `its own bound of ${state.perMinute}`;
  const resetAt = now - (now % RATE_WINDOW_MS) + RATE_WINDOW_MS;
  return `${requests} requests counted in this minute against ${bound}; the count starts again at ${iso(resetAt)}.`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
