import { Dispatcher } from '../../../actors/runtime/durable/dispatch/dispatcher.ts';
import { type Mutation, patch } from '../mutation.ts';

/** A timer that fires delivers its event twice. */
export const timerFiresTwice: Mutation = {
  name: 'timer fired twice',
  caughtBy: 61,
  begin: () =>
    patch(Dispatcher, ['enqueue'], ({ enqueue }) => ({
      enqueue(shard, address, event, firing = null, answer = null) {
        const delivered = enqueue.call(this, shard, address, event, firing, answer);
        if (firing !== null) enqueue.call(this, shard, address, event, null, null);
        return delivered;
      },
    })),
};
