import { Type } from 'typebox';
import { WEBHOOK_TYPES } from '../../../actors/terms/webhook.ts';
import { ATTEMPTS_MAX, DELIVERY_OUTCOMES, DELIVERY_STATUSES } from '../../../actors/webhook/delivery-record.ts';
import { oneOf } from '../../dialects/request/members.ts';

const id = Type.String({ pattern: '^evt_[0-9a-f]{32}$' });
const unixSeconds = Type.Integer({ description: 'Unix seconds.' });
const secondsOrNull = Type.Union([unixSeconds, Type.Null()]);

/** The published schema of the signing secret. */
export const webhookSecretSchema = Type.Object({
  object: Type.Literal('webhook_secret'),
  secret: Type.String({ pattern: '^whsec_[0-9a-f]{64}$' }),
  created_at: unixSeconds,
  previous_expires_at: Type.Union([unixSeconds, Type.Null()], {
    description: 'Until then the previous secret signs too; null without one.',
  }),
});

/** The published schema of one delivery. */
export const deliverySchema = Type.Object({
  id,
  object: Type.Literal('webhook_delivery'),
  type: oneOf(...WEBHOOK_TYPES),
  job_id: Type.String(),
  url: Type.String(),
  status: oneOf(...DELIVERY_STATUSES),
  created_at: unixSeconds,
  attempts: Type.Array(
    Type.Object({ at: unixSeconds, outcome: Type.Union([oneOf(...DELIVERY_OUTCOMES), Type.Null()]) }),
    { maxItems: ATTEMPTS_MAX, description: 'In order; the outcome of a running attempt is null.' },
  ),
  next_attempt_at: secondsOrNull,
  ended_at: secondsOrNull,
});

/** The published schema of a page of deliveries. */
export const deliveryListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(deliverySchema),
  first_id: Type.Union([id, Type.Null()]),
  last_id: Type.Union([id, Type.Null()]),
  has_more: Type.Boolean(),
});
