import { Type } from 'typebox';
import { findPayment, pay } from '../../../actors/payment/payment.ts';
import type { NewPayment, PaymentRecord } from '../../../actors/payment/payment-state.ts';
import { type Clock, type Json, ownerOf } from '../../../actors/runtime/index.ts';
import { paymentDepositId } from '../../../actors/terms/payment.ts';
import { compare, parseUsd } from '../../../actors/terms/usd.ts';
import { textOf } from '../../edge/query/query-values.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { JSON_TYPE, type RouteAnswer } from '../../http/write-answer.ts';
import { exactNumber, renderExact } from '../../json/exact-json.ts';
import type { ManagementServices } from '../../management/services.ts';
import type { DepositConfig, X402Config } from '../../terms/config/deposit-config.ts';
import { GatewayError, invalid, notFound, refusalError } from '../../terms/gateway-error.ts';
import type { Operations } from '../wire/operation.ts';
import { paymentResultSchema } from './deposit-schema.ts';
import * as terms from './x402-terms.ts';

/** What the document says of the routes. */
export const PAYMENT_OPERATIONS: Operations = {
  'POST /deposits/x402': {
    key: 'inference',
    summary: 'Pays with a stable coin (x402)',
    description:
      'Without a payment 402 names what to sign; 202 while the outcome is not known yet. Repeats credit once.',
    answers: 'The payment is credited.',
    query: { amount: Type.String({ description: 'USD, a decimal number.' }) },
    required: ['amount'],
    headers: { 'PAYMENT-SIGNATURE': Type.String({ description: 'The signed payment, base64 of its JSON.' }) },
    reply: { PaymentResult: paymentResultSchema },
  },
};

interface PayParts {
  readonly services: Pick<ManagementServices, 'cluster' | 'askMs'>;
  readonly clock: Clock;
  readonly deposits: DepositConfig;
}

/**
 * `POST /deposits/x402?amount=`: without a payment 402 with what to sign; with one (`PAYMENT-SIGNATURE`) the credit, 202
 * while its outcome is not known yet, or 402 with the reason. A repeat of a payment is answered from its record,
 * however often and on whichever node. (rule K47, rule K48)
 */
export function payX402Route(parts: PayParts): Route {
  return {
    method: 'POST',
    path: '/deposits/x402',
    policy: 'key',
    answer: (context) => payX402(context, parts),
  };
}

const POLL_MS = 100;
const SIGNATURE_CHARACTERS_MAX = 12_000;

async function payX402(context: RequestContext, parts: PayParts): Promise<RouteAnswer> {
  const { services, deposits } = parts;
  const { x402, payments } = deposits;
  if (x402 === undefined) throw notFound('This service takes no x402 payments; GET /deposits/rails lists the rails');
  const amount = amountOf(new URLSearchParams(context.query), deposits);
  const requirements = terms.requirementsOf(amount, x402, payments);
  if (requirements === null) throw invalid(`amount must have at most ${x402.assetDecimals} decimals`);
  const header = context.request.headers['payment-signature'];
  if (header === undefined) throw challenge(context, requirements);
  const { payment, validAfter } = paymentOf(context, { header, amount, requirements, x402 });
  const now = services.cluster.now();
  // A payment that is known is answered from its record, though its time may be over.
  const isKnown = (await findPayment(services.cluster, paymentDepositId(payment))) !== null;
  const reason = isKnown ? null : terms.badTime({ ...payment, validAfter }, now, payments);
  if (reason !== null) throw challenge(context, requirements, reason);
  const answer = await pay(services.cluster, payment, services.askMs);
  if ('refusal' in answer) throw used(refusalError(answer.refusal, now), payment);
  // A payment waits for its facilitator.
  context.place?.leave();
  return answerOf(await outcome(answer, parts, payments.waitMs), requirements, context);
}

function amountOf(query: URLSearchParams, { minUsd, maxUsd }: DepositConfig): string {
  const amount = parseUsd(textOf(query, 'amount') ?? '');
  if (amount === null || compare(amount, minUsd) < 0 || compare(amount, maxUsd) > 0) {
    throw invalid(`amount must be a decimal number of USD from ${minUsd} to ${maxUsd}`);
  }
  return amount;
}

interface Presented {
  readonly header: string | string[];
  readonly amount: string;
  readonly requirements: terms.Requirements;
  readonly x402: X402Config;
}

/** A payment, and the store time from which it is valid. */
interface PresentedPayment {
  readonly payment: NewPayment;
  readonly validAfter: number;
}

/** What was presented, checked against what was asked for but for its time. */
function paymentOf(context: RequestContext, presented: Presented): PresentedPayment {
  const { header, amount, requirements, x402 } = presented;
  if (typeof header !== 'string' || header.length > SIGNATURE_CHARACTERS_MAX)
    throw invalid('PAYMENT-SIGNATURE is too long');
  const read = terms.readPayment(header);
  if (typeof read === 'string') throw invalid(`PAYMENT-SIGNATURE ${read}`);
  if (read.version !== 2) throw invalid('PAYMENT-SIGNATURE: x402Version must be 2');
  const signed = terms.signedPayment(read.payload);
  if (typeof signed === 'string') throw invalid(`PAYMENT-SIGNATURE: ${signed}`);
  const reason = terms.mismatch(read.payload, requirements);
  if (reason !== null) throw challenge(context, requirements, reason);
  const { key } = callerOf(context);
  const payment = {
    account: ownerOf(key),
    key,
    amount,
    network: x402.network,
    payer: signed.payer.toLowerCase(),
    nonce: signed.nonce.toLowerCase(),
    payload: read.payload as Json,
    requirements: { ...requirements } as unknown as Json,
    validBefore: signed.validBefore * 1_000,
  };
  return { payment, validAfter: signed.validAfter * 1_000 };
}

/** 402 with what to sign. `reason`: why the payment that was sent does not do. */
function challenge(context: RequestContext, requirements: terms.Requirements, reason?: string): GatewayError {
  const url = `/api/v1/deposits/x402?${context.query}`;
  return new GatewayError({
    status: 402,
    type: 'payment_required',
    message: reason === undefined ? 'Sign one of the accepted payments' : `The payment was not accepted: ${reason}`,
    metadata: { accepts: [requirements], ...(reason === undefined ? {} : { reason }) },
    headers: { 'payment-required': terms.paymentRequiredHeader(requirements, url, reason) },
  });
}

/** Polls the record until the payment is over, or until the request has waited long enough. */
async function outcome(
  record: PaymentRecord,
  { services: { cluster }, clock }: PayParts,
  waitMs: number,
): Promise<PaymentRecord> {
  const until = clock.monotonic() + waitMs;
  let newest = record;
  while (newest.status === 'pending' && clock.monotonic() < until) {
    await pause(clock, POLL_MS);
    newest = (await findPayment(cluster, record.id)) ?? newest;
  }
  return newest;
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

function answerOf(record: PaymentRecord, requirements: terms.Requirements, context: RequestContext): RouteAnswer {
  const { id, status, amount, balance, transaction, network, payer } = record;
  if (status === 'failed') throw failed(record, requirements, context);
  const data = {
    deposit_id: id,
    status,
    amount: exactNumber(amount),
    balance: exactNumber(balance),
    transaction,
    network,
  };
  const isCredited = status === 'credited';
  const headers = isCredited ? ['payment-response', terms.paymentResponseHeader({ transaction, network, payer })] : [];
  return { status: isCredited ? 200 : 202, type: JSON_TYPE, body: renderExact({ data }), headers };
}

function failed(
  { reason, transaction, network, payer }: PaymentRecord,
  requirements: terms.Requirements,
  context: RequestContext,
): GatewayError {
  const errorReason = reason ?? 'payment_refused';
  const { message, metadata, headers, status, type } = challenge(context, requirements, errorReason);
  const response = terms.paymentResponseHeader({ transaction, network, payer, errorReason });
  return new GatewayError({ status, type, message, metadata, headers: { ...headers, 'payment-response': response } });
}

/** The payment of another account. */
function used({ message, metadata }: GatewayError, { network, payer }: NewPayment): GatewayError {
  const errorReason = 'payment_used';
  const headers = {
    'payment-response': terms.paymentResponseHeader({ transaction: null, network, payer, errorReason }),
  };
  return new GatewayError({ status: 402, type: 'payment_required', message, metadata, headers });
}
