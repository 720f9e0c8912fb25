import { ActivityRunner } from '../../../actors/runtime/durable/outgoing/activity-runner.ts';
import { type Mutation, patch } from '../mutation.ts';

/** A handler is called before the beginning of its attempt is recorded, so that a crash cannot tell what was running. */
export const unrecordedBeginning: Mutation = {
  name: 'an activity begun without its record',
  caughtBy: 61,
  begin: () =>
    patch(ActivityRunner, ['begin', 'run'], ({ run }) => ({
      begin(attempt) {
        run.call(this, attempt);
      },
      run,
    })),
};
