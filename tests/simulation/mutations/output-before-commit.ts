import { CommitQueue } from '../../../actors/runtime/durable/commit/commit-queue.ts';
import type { Mutation } from '../mutation.ts';

/** Replies leave when their entry is queued, not when it is durable. The second delivery finds no pending ask. */
export const outputBeforeCommit: Mutation = {
  name: 'reply sent before its commit',
  caughtBy: 1,
  begin() {
    const { push } = CommitQueue.prototype;
    CommitQueue.prototype.push = function (entry) {
      push.call(this, entry);
      entry.answer?.(entry.reply);
    };
    return () => {
      CommitQueue.prototype.push = push;
    };
  },
};
