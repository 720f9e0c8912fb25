import { Runner } from '../../../actors/runtime/durable/engine/runner.ts';
import type { Mutation } from '../mutation.ts';

/** A timer that fires tells its actor twice. */
export const ringsTwice: Mutation = {
  name: 'timer fired twice',
  caughtBy: 1,
  begin() {
    const { tell } = Runner.prototype;
    Runner.prototype.tell = function (shard, address, event, firing = null, answer = null) {
      const told = tell.call(this, shard, address, event, firing, answer);
      if (firing !== null) tell.call(this, shard, address, event, null, null);
      return told;
    };
    return () => {
      Runner.prototype.tell = tell;
    };
  },
};
