import { type TSchema, Type } from 'typebox';
import { PAYMENT_STATUSES } from '../../../actors/payment/payment-state.ts';
import { oneOf } from '../../dialects/request/members.ts';

const usd = Type.Number({ description: 'USD, all digits.' });
const text = Type.String();
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const instant = Type.String({ format: 'date-time' });

/** The published schema of `GET /deposits/rails`. */
export const railsSchema = Type.Object({
  rails: Type.Array(
    Type.Object({
      id: oneOf('card', 'x402'),
      currency: Type.Literal('USD'),
      min: usd,
      max: usd,
      url: Type.Optional(text),
      x402_version: Type.Optional(Type.Literal(2)),
      network: Type.Optional(Type.String({ description: 'CAIP-2.' })),
      asset: Type.Optional(text),
      pay_to: Type.Optional(text),
    }),
  ),
});

/** The published schema of one deposit. */
export const depositSchema = Type.Object({
  id: text,
  object: Type.Literal('deposit'),
  rail: oneOf('operator', 'x402'),
  status: oneOf(...PAYMENT_STATUSES),
  currency: Type.Literal('USD'),
  amount: usd,
  balance: orNull(usd),
  reason: orNull(text),
  created_at: instant,
  credited_at: orNull(instant),
  network: orNull(text),
  payer: orNull(text),
  transaction: orNull(text),
});

export const depositListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(depositSchema),
  first_id: orNull(text),
  last_id: orNull(text),
  has_more: Type.Boolean(),
});

/** The published schema of a payment that was credited, or whose outcome is not known yet (202). */
export const paymentResultSchema = Type.Object({
  data: Type.Object({
    deposit_id: text,
    status: oneOf('credited', 'pending', 'review'),
    amount: usd,
    balance: orNull(usd),
    transaction: orNull(text),
    network: text,
  }),
});
