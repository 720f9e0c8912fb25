import { Cascade } from '../../../actors/runtime/actor/cascade.ts';
import type { Mutation } from '../mutation.ts';

const prototype = Cascade.prototype as unknown as { notHandled(...args: unknown[]): string };

/** An input that its chart does not handle is committed as taken. */
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
