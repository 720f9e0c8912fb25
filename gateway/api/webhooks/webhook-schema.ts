import { Type } from 'typebox';
import { WEBHOOK_TYPES } from '../../../actors/terms/webhook.ts';
import { ATTEMPTS_MAX, DELIVERY_OUTCOMES, DELIVERY_STATUSES } from '../../../actors/webhook/delivery-record.ts';
import { described, oneOf, orNull } from '../../dialects/request/members.ts';
import { pageMembers } from '../wire/operation.ts';

const id = Type.String({ pattern: '^evt_[0-9a-f]{32}$' });
const unixSeconds = Type.Integer({ description: 'Unix seconds.' });
const secondsOrNull = Type.Union([unixSeconds, Type.Null()]);

/** The published schema of the signing secret. */
export const webhookSecretSchema = Type.Object({
  object: Type.Literal('webhook_secret', { description: 'Always `webhook_secret`.' }),
  secret: Type.String({
    pattern: '^whsec_[0-9a-f]{64}$',
    description: 'The key of the HMAC that signs each webhook: keep it secret.',
  }),
  created_at: described(unixSeconds, 'When the secret was minted, Unix seconds.'),
  previous_expires_at: Type.Union([unixSeconds, Type.Null()], {
    description: 'Until then the previous secret signs too; null without one.',
  }),
});

/** The published schema of one delivery. */
export const deliverySchema = Type.Object({
  id: described(id, 'Id of the event: equal in every attempt, so that a repeat is recognised.'),
  object: Type.Literal('webhook_delivery', { description: 'Always `webhook_delivery`.' }),
  type: described(oneOf(...WEBHOOK_TYPES), 'What the webhook tells: how which kind of job ended.'),
  job_id: Type.String({ description: 'Id of the batch or video job.' }),
  url: Type.String({ description: 'The `callback_url` of the job.' }),
  status: described(
    oneOf(...DELIVERY_STATUSES),
    'delivering, waiting for the next attempt, delivered, or failed after the last one.',
  ),
  created_at: described(unixSeconds, 'When the job ended and the webhook was queued, Unix seconds.'),
  attempts: Type.Array(
    Type.Object({
      at: described(unixSeconds, 'When the attempt began, Unix seconds.'),
      outcome: orNull(
        oneOf(...DELIVERY_OUTCOMES),
        'Status class of the answer, such as 2xx, or why there was none; null while it runs.',
      ),
    }),
    { maxItems: ATTEMPTS_MAX, description: 'In order; the outcome of a running attempt is null.' },
  ),
  next_attempt_at: described(secondsOrNull, 'When the next attempt begins, Unix seconds; null for none.'),
  ended_at: described(secondsOrNull, 'When it was delivered or given up, Unix seconds; null until then.'),
});

/** The published schema of a page of deliveries. */
export const deliveryListSchema = Type.Object({
  ...pageMembers('Deliveries of the account, newest first.', deliverySchema, id),
});
