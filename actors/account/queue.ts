/**
 * The account's queue of batches: at most 10 active ones in the order in which they were accepted, which an id does not
 * show where the clocks of two nodes differ, and at most 8 slots, each for one line in flight over all nodes. A batch
 * states after each of its changes how many slots it uses and how many more it could use; the account grants free slots
 * to the oldest batches in the same commit. Pure. (rule B14, rule B7)
 */
import { assignOn, type Effect, emitOn, guardOn, ownerOf, type Stamped } from '../runtime/index.ts';
import { refuse } from '../terms/chart-tools.ts';
import type { Idempotency } from '../terms/hold.ts';
import { batchAddress } from '../terms/ids.ts';
import type { Refusal } from '../terms/refusal.ts';
import { type AccountState, nextOf, type QueuedBatch } from './account-state.ts';

export const ACTIVE_BATCHES_MAX = 10;
export const SLOTS_MAX = 8;

/** From a batch in the commit that creates it; refused with 429, or where the idempotency key was used before. */
export type QueueJoin = Stamped & {
  readonly type: 'queue.join';
  readonly batch: string;
  readonly wants: number;
  readonly idempotency?: Idempotency;
};

/** From a batch: its slots and wishes after a change. */
type SlotUpdate = Stamped & {
  readonly type: 'slot.update';
  readonly batch: string;
  readonly slots: number;
  readonly wants: number;
};

/** From a batch in the commit that ends it. */
type QueueLeave = Stamped & { readonly type: 'queue.leave'; readonly batch: string };
export type QueueEvent = QueueJoin | SlotUpdate | QueueLeave;
const QUEUE_EVENTS = ['queue.join', 'slot.update', 'queue.leave'] as const;

type Queue = readonly QueuedBatch[];

/** The queue after the event, with free slots granted. */
function changeQueue(state: AccountState, event: QueueEvent): AccountState {
  const next = nextOf(state);
  next.queue = deal(changed(state.queue, event)).queue;
  return next;
}

/** The grants of the event, from the state before it. */
export function grantSlots({ address, queue }: AccountState, event: QueueEvent): Effect[] {
  const { grants } = deal(changed(queue, event));
  return grants.map(({ batch, count }): Effect => {
    return { type: 'send', to: batchAddress(ownerOf(address), batch), event: { type: 'slot.grant', count } };
  });
}

/** When a client may try again: batches end in minutes, and an SDK that repeats by itself should report soon. */
const FULL_RETRY_MS = 10_000;

/** `active` and `limit` are members of the 429. */
export function queueFull(active: number): Refusal {
  const metadata = { limit: ACTIVE_BATCHES_MAX, active };
  const message = `An account has at most ${ACTIVE_BATCHES_MAX} batches waiting or running; wait for one to end, or cancel one`;
  return { status: 429, type: 'rate_limit_exceeded', message, metadata, retryAfterMs: FULL_RETRY_MS };
}

function changed(queue: Queue, event: QueueEvent): Queue {
  if (event.type === 'queue.leave') return queue.filter(({ batch }) => batch !== event.batch);
  const { batch, wants } = event;
  const entry = { batch, slots: event.type === 'slot.update' ? event.slots : 0, wants };
  const at = queue.findIndex((each) => each.batch === batch);
  return at < 0 ? [...queue, entry] : queue.with(at, entry);
}

interface Grant {
  readonly batch: string;
  readonly count: number;
}

function deal(queue: Queue): { readonly queue: Queue; readonly grants: readonly Grant[] } {
  let free = SLOTS_MAX - queue.reduce((used, { slots }) => used + slots, 0);
  const grants: Grant[] = [];
  const dealt = queue.map((entry) => {
    const count = Math.max(0, Math.min(free, entry.wants));
    if (count === 0) return entry;
    free -= count;
    grants.push({ batch: entry.batch, count });
    return { batch: entry.batch, slots: entry.slots + count, wants: entry.wants - count };
  });
  return { queue: dealt, grants };
}

export const guards = {
  isQueueFull: guardOn('*', ({ queue }: AccountState) => queue.length >= ACTIVE_BATCHES_MAX),
};

/** `grantSlots` comes before the queue changes: the grants follow from the state before the event. */
export const actions = {
  grantSlots: emitOn(QUEUE_EVENTS, grantSlots),
  changeQueue: assignOn(QUEUE_EVENTS, changeQueue),
  refuseFull: emitOn('*', ({ queue }: AccountState) => refuse(queueFull(queue.length))),
};
