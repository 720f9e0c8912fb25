import { Deaths } from '../../../actors/runtime/cluster/deaths.ts';
import type { Mutation } from '../mutation.ts';

/** Every death of a node counts as a crash caused by its work, a kill included. */
export const everyDeathCrash: Mutation = {
  name: 'killed node counted as crashed',
  caughtBy: 2,
  begin() {
    const { causeOf } = Deaths.prototype;
    Deaths.prototype.causeOf = () => 'own-hand';
    return () => {
      Deaths.prototype.causeOf = causeOf;
    };
  },
};
