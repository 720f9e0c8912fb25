import { Runner } from '../../../actors/runtime/durable/engine/runner.ts';
import { type Mutation, patch } from '../mutation.ts';

/** A timer that fires delivers its event twice. */
export const timerFiresTwice: Mutation = {
  name: 'timer fired twice',
  caughtBy: 1,
  begin: () =>
    patch(Runner, ['tell'], ({ tell }) => ({
      tell(shard, address, event, firing = null, answer = null) {
        const delivered = tell.call(this, shard, address, event, firing, answer);
        if (firing !== null) tell.call(this, shard, address, event, null, null);
        return delivered;
      },
    })),
};
