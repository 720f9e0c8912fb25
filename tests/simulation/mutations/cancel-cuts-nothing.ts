import { emitOn } from '../../../actors/runtime/index.ts';
import type { Mutation } from '../mutation.ts';
import { batchWith } from './batch-with.ts';

/** A cancelled batch forgets its lines in flight, but neither aborts them nor releases their holds. */
export const cancelCutsNothing: Mutation = {
  name: 'cancelled batch leaves its lines running',
  caughtBy: 49,
  kinds: batchWith({ actions: { cutAll: emitOn('*', () => []) } }),
};
