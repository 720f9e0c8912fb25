import { Cascade } from '../../../actors/runtime/actor/cascade.ts';
import type { Mutation } from '../mutation.ts';

const prototype = Cascade.prototype as unknown as { notHandled(...args: unknown[]): string };

/** Commits an input that the chart does not handle as if it had been handled. */
export const unhandledDropped: Mutation = {
  name: 'unhandled input dropped',
  caughtBy: 1,
  begin() {
    const { notHandled } = prototype;
    prototype.notHandled = () => 'done';
    return () => {
      prototype.notHandled = notHandled;
    };
  },
};
