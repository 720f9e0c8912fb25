import { Adoption } from '../../../actors/runtime/durable/engine/adoption.ts';
import { type Mutation, patch } from '../mutation.ts';

/** A node that adopts a shard treats every gateway as dead. */
export const takeoverReleases: Mutation = {
  name: 'hold released by a takeover',
  caughtBy: 61,
  begin: () =>
    patch(Adoption, ['checkLeases'], ({ checkLeases }) => ({
      checkLeases(...args) {
        const allGone = Object.assign(Object.create(this.parts.host), { isGone: () => true });
        const parts = Object.assign(Object.create(this.parts), { host: allGone });
        return checkLeases.apply(Object.assign(Object.create(this), { parts }), args);
      },
    })),
};
