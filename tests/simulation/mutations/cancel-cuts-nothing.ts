import type { BatchState } from '../../../actors/batch/batch-state.ts';
import type { BatchEvent } from '../../../actors/batch/events.ts';
import { emit } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { batchWith } from './batch-with.ts';

/** A cancelled batch forgets its lines in flight, but neither aborts them nor releases their holds. */
export const cancelCutsNothing: Mutation = {
  name: 'cancelled batch leaves its lines running',
  caughtBy: 49,
  kinds: batchWith({ actions: { cutAll: emit<BatchState, BatchEvent>(() => []) } }),
};
