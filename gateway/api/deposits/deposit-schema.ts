import { Type } from 'typebox';
import { PAYMENT_STATUSES } from '../../../actors/payment/payment-state.ts';
import { described, listOf, objectOf, oneOf, orNull } from '../../dialects/request/members.ts';
import { pageMembers } from '../wire/operation.ts';

const usd = Type.Number({ description: 'USD, all digits.' });
const text = Type.String();
const instant = Type.String({ format: 'date-time' });

/** The published schema of `GET /deposits/rails`. */
export const railsSchema = Type.Object({
  rails: listOf('Ways to pay that the operator has configured.', {
    id: described(
      oneOf('card', 'x402'),
      'card: on the account page. x402: by a signed payment to POST /deposits/x402.',
    ),
    currency: Type.Literal('USD', { description: 'USD: accounts have no other currency.' }),
    min: described(usd, 'Smallest amount of one deposit, USD.'),
    max: described(usd, 'Largest amount of one deposit, USD.'),
    url: Type.Optional(described(text, 'Page or route where this way of paying begins.')),
    x402_version: Type.Optional(Type.Literal(2, { description: 'Version of the x402 protocol: 2.' })),
    network: Type.Optional(Type.String({ description: 'Chain of the payment, as CAIP-2 names it.' })),
    asset: Type.Optional(described(text, 'Address of the token contract on that chain.')),
    pay_to: Type.Optional(described(text, 'Address on that chain that receives the payment.')),
  }),
});

/** The published schema of one deposit. */
export const depositSchema = Type.Object({
  id: described(text, 'Id of the deposit; names it in GET /deposits/{id}.'),
  object: Type.Literal('deposit', { description: 'Always `deposit`.' }),
  rail: described(oneOf('operator', 'x402'), 'operator: credited by hand. x402: paid by the customer.'),
  status: described(oneOf(...PAYMENT_STATUSES), 'How far the payment is; `credited` is final.'),
  currency: Type.Literal('USD', { description: 'USD: accounts have no other currency.' }),
  amount: described(usd, 'What the account receives, USD.'),
  balance: orNull(usd, 'Balance of the account after the credit, USD; null before it.'),
  reason: orNull(text, "The operator's note, or why the payment was not credited; null without one."),
  created_at: described(instant, 'When the deposit was recorded.'),
  credited_at: orNull(instant, 'When the balance grew; null until then.'),
  network: orNull(text, 'Chain of the payment, as CAIP-2 names it.'),
  payer: orNull(text, 'Address on the chain that paid; null for a deposit of the operator.'),
  transaction: orNull(text, 'Hash of the transaction on the chain; null until it is known.'),
});

export const depositListSchema = Type.Object({
  ...pageMembers('Deposits of the account, newest first.', depositSchema, text),
});

/** The published schema of a payment that was credited, or whose outcome is not known yet (202). */
export const paymentResultSchema = Type.Object({
  data: objectOf('How the payment stands, and the deposit it became.', {
    deposit_id: described(text, 'Id of the deposit; names it in GET /deposits/{id}.'),
    status: described(
      oneOf('credited', 'pending', 'review'),
      'credited; pending while the chain has not confirmed; review where the operator must decide.',
    ),
    amount: described(usd, 'What was paid, USD.'),
    balance: orNull(usd, 'Balance of the account after the credit, USD; null before it.'),
    transaction: orNull(text, 'Hash of the transaction on the chain; null until it is known.'),
    network: described(text, 'Chain of the payment, as CAIP-2 names it.'),
  }),
});
