import { Deaths } from '../../../actors/runtime/cluster/membership/deaths.ts';
import { type Mutation, patch } from '../mutation.ts';

/** Every death of a node counts as a crash caused by its work, a kill included. */
export const everyDeathCrash: Mutation = {
  name: 'killed node counted as crashed',
  caughtBy: 61,
  begin: () => patch(Deaths, ['causeOf'], () => ({ causeOf: () => 'crashed' })),
};
