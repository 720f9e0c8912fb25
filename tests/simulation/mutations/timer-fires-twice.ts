import { ownMail } from '../../../actors/runtime/actor/cascade/mailbox.ts';
import { Dispatcher } from '../../../actors/runtime/durable/dispatch/dispatcher.ts';
import { type Mutation, patch } from '../mutation.ts';

/** A timer that fires delivers its event twice. */
export const timerFiresTwice: Mutation = {
  name: 'timer fired twice',
  caughtBy: 61,
  begin: () =>
    patch(Dispatcher, ['enqueue'], ({ enqueue }) => ({
      enqueue(shard, address, event, firing) {
        const delivered = enqueue.call(this, shard, address, event, firing);
        const again = ownMail(event, { answer: null, firing: null, systemMessage: null });
        this.offer(this.cellOf(address, shard), shard, 'system', again);
        return delivered;
      },
    })),
};
