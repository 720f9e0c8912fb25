import { ActivityRunner } from '../../../actors/runtime/durable/outgoing/activity-runner.ts';
import type { Mutation } from '../mutation.ts';

/** The methods of the runner that the mutation reaches for. */
interface Begins {
  begin(attempt: unknown): void;
  run(attempt: unknown): void;
}

/** A handler is called before the beginning of its attempt is recorded, so that a crash cannot tell what was running. */
export const unrecordedBeginning: Mutation = {
  name: 'an activity begun without its record',
  caughtBy: 1,
  begin() {
    const prototype = ActivityRunner.prototype as unknown as Begins;
    const { begin } = prototype;
    prototype.begin = function (this: Begins, attempt) {
      this.run(attempt);
    };
    return () => {
      prototype.begin = begin;
    };
  },
};
