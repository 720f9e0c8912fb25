import type { ActorEvent } from '../../actors/runtime/index.ts';

/** The events of the measured purses: a debit is durable before its answer, showing the amount changes nothing. */
export const OPEN: ActorEvent = { type: 'fill', amount: 1_000_000_000 };
export const DEBIT: ActorEvent = { type: 'take', amount: 1 };
export const SHOW: ActorEvent = { type: 'show' };
