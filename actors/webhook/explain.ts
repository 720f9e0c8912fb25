import type { View } from '../runtime/index.ts';
import { ATTEMPTS_MAX } from './delivery-record.ts';
import type { WebhookState } from './webhook-state.ts';

/** For `why`: what a delivery waits for, and how its attempts ended. The runtime adds the runner of a running one. */
export function explainWebhook({ state, context, now }: View): readonly string[] {
  const { webhook, attempts, nextAttemptAt, endedAt } = context as unknown as WebhookState;
  if (webhook === null) return ['The webhook is being created.'];
  const ends = attempts.flatMap(({ outcome }) => outcome ?? []);
  const past = ends.length === 0 ? [] : [`Attempts so far: ${ends.join(', ')}.`];
  const what = `${webhook.type} of ${webhook.job}`;
  switch (state) {
    case 'delivering':
      return [`${what} is being posted: attempt ${attempts.length} of ${ATTEMPTS_MAX}.`, ...past];
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil(((nextAttemptAt ?? now) - now) / 1_000));
      return [`${what} waits ${seconds} s for attempt ${attempts.length + 1} of ${ATTEMPTS_MAX}.`, ...past];
    }
    default:
      return [`${what} is ${state} since ${new Date(endedAt ?? now).toISOString()}.`, ...past];
  }
}
