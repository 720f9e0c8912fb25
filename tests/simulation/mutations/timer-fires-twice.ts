import { Runner } from '../../../actors/runtime/durable/engine/runner.ts';
import type { Mutation } from '../mutation.ts';

/** A timer that fires delivers its event twice. */
export const timerFiresTwice: Mutation = {
  name: 'timer fired twice',
  caughtBy: 1,
  begin() {
    const { tell } = Runner.prototype;
    Runner.prototype.tell = function (shard, address, event, firing = null, answer = null) {
      const delivered = tell.call(this, shard, address, event, firing, answer);
      if (firing !== null) tell.call(this, shard, address, event, null, null);
      return delivered;
    };
    return () => {
      Runner.prototype.tell = tell;
    };
  },
};
