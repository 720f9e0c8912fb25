import type { PostgresBounds } from '../../../actors/runtime/stores/store-choice.ts';

/** Bounds of a store under test: as in production, but with short waits. */
export const testBounds: PostgresBounds = {
  writers: 2,
  readers: 2,
  connectMs: 3_000,
  lockMs: 1_000,
  statementMs: 2_000,
  idleInTransactionMs: 1_000,
  peerSilentMs: 3_000,
  keepAliveMs: 2_000,
  answerMs: 4_000,
  callsMax: 4_096,
  triesMax: 5,
  retryMsMax: 20,
};
