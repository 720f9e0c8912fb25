import { CommitQueue } from '../../../actors/runtime/durable/commit/commit-queue.ts';
import type { Mutation } from '../mutation.ts';

/** Answers leave when their entry is queued, not when it is durable; the second time nobody waits any more. */
export const earlyGate: Mutation = {
  name: 'gate opened early',
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
