import { CommitQueue } from '../../../actors/runtime/durable/commit/commit-queue.ts';
import type { Entry } from '../../../actors/runtime/durable/commit/entry.ts';
import { type Mutation, patch } from '../mutation.ts';

/** Replies leave when their entry is queued, not when it is durable. The second delivery finds no pending ask. */
export const outputBeforeCommit: Mutation = {
  name: 'reply sent before its commit',
  caughtBy: 61,
  begin: () =>
    patch(CommitQueue, ['push'], ({ push }) => ({
      push(entry: Entry) {
        push.call(this, entry);
        entry.answer?.(entry.reply);
      },
    })),
};
