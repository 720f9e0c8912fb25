import { Deaths } from '../../../actors/runtime/cluster/deaths.ts';
import type { Mutation } from '../mutation.ts';

/** Whatever ended a node, its work is held to have ended it. */
export const everyDeathCounts: Mutation = {
  name: 'an outside death counted',
  caughtBy: 2,
  begin() {
    const { causeOf } = Deaths.prototype;
    Deaths.prototype.causeOf = () => 'own-hand';
    return () => {
      Deaths.prototype.causeOf = causeOf;
    };
  },
};
