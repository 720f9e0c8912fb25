import { Cascade } from '../../../actors/runtime/actor/cascade/cascade.ts';
import { type Mutation, patch } from '../mutation.ts';

/** Commits an input that the chart does not handle as if it had been handled. */
export const unhandledDropped: Mutation = {
  name: 'unhandled input dropped',
  caughtBy: 61,
  begin: () => patch(Cascade, ['notHandled'], () => ({ notHandled: () => 'done' })),
};
