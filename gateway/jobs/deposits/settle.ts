import type { SettleInput, SettleResult } from '../../../actors/payment/settlement.ts';
import { NOT_ASKED } from '../../../actors/payment/settlement.ts';
import {
  ActivityFailed,
  type ActivityHandler,
  type ActivityTask,
  type Cluster,
  type Json,
} from '../../../actors/runtime/index.ts';
import type { PaymentLimits } from '../../terms/config/deposit-config.ts';
import { type Facilitator, NoAnswer, type PaymentSettlement } from './facilitator.ts';

type PaymentCrashPoint = 'payment.pending' | 'payment.asked';

/** What payments of a node need. */
export interface PaymentServices {
  readonly cluster: Pick<Cluster, 'now'>;
  /** Null without the rail: a payment that was pending when it was removed waits. */
  readonly facilitator: Pick<Facilitator, 'verify' | 'settle' | 'find'> | null;
  readonly crashpoint: (name: PaymentCrashPoint) => void;
  readonly log: (record: Readonly<Record<string, unknown>>, message: string) => void;
}

/** Code of a failure after which nobody knows whether the payment was settled. */
const UNKNOWN = 'unknown';
/** Later than this after its end, no block can contain an authorization any more. */
const FINAL_AFTER_MS = 5 * 60_000;

/**
 * The activity `settle`: the first attempt verifies and settles. Every later one first asks by the payment's nonce how
 * it was settled, since the answer of an earlier one may be lost, and only then asks to settle the same authorization
 * again, which its network accepts once. It resolves with what is certain and fails where nothing is. (rule K47)
 */
export function settleHandler(services: () => PaymentServices, limits: PaymentLimits): ActivityHandler {
  return {
    runningMax: limits.runningMax,
    runningPerGroupMax: limits.runningPerAccountMax,
    groupOf: (_, input) => (input as unknown as SettleInput).account,
    run: async (task) => (await settle(services(), task)) as unknown as Json,
  };
}

async function settle(services: PaymentServices, task: ActivityTask): Promise<SettleResult> {
  const input = task.input as unknown as SettleInput;
  const { facilitator } = services;
  if (facilitator === null) throw failed(NOT_ASKED, 'the rail x402 is not configured');
  services.crashpoint('payment.pending');
  try {
    return task.attempt === 1
      ? await first({ ...services, facilitator }, input)
      : await again({ ...services, facilitator }, input);
  } catch (error) {
    const { message } = error as Error;
    services.log({ deposit: input.deposit, attempt: task.attempt, detail: message }, 'a payment has no answer');
    if (error instanceof NoAnswer) throw failed(UNKNOWN, message);
    throw error;
  }
}

type Asking = PaymentServices & { readonly facilitator: NonNullable<PaymentServices['facilitator']> };

async function first({ facilitator, crashpoint }: Asking, input: SettleInput): Promise<SettleResult> {
  const { payload, requirements } = input;
  const { isValid, invalidReason } = await facilitator.verify(payload, requirements).catch((error: unknown) => {
    throw failed(NOT_ASKED, String(error));
  });
  if (!isValid) return { outcome: 'refused', reason: invalidReason, isAsked: false };
  const answer = await facilitator.settle(payload, requirements);
  crashpoint('payment.asked');
  if (answer.success) return settledBy(answer, input);
  // A transaction that failed to confirm in time may still be mined.
  if (answer.transaction !== '') throw new NoAnswer(`not confirmed: ${answer.errorReason}`);
  return { outcome: 'refused', reason: answer.errorReason, isAsked: true };
}

async function again({ facilitator, cluster, crashpoint }: Asking, input: SettleInput): Promise<SettleResult> {
  const isFinal = cluster.now() >= input.validBefore + FINAL_AFTER_MS;
  const found = await facilitator.find(input);
  if (found.state === 'settled') return settledBy(found.settlement, input);
  if (isFinal) return { outcome: 'refused', reason: 'authorization_expired', isAsked: true };
  const answer = await facilitator.settle(input.payload, input.requirements);
  crashpoint('payment.asked');
  if (answer.success) return settledBy(answer, input);
  // The refusal may be the echo of an earlier attempt that is still under way.
  throw new NoAnswer(`refused in a later attempt: ${answer.errorReason}`);
}

/** A settlement that names another payment proves nothing about this one. */
function settledBy({ transaction, network, payer }: PaymentSettlement, input: SettleInput): SettleResult {
  if (transaction === '') throw new NoAnswer('settled without a transaction');
  if (network !== input.network) throw new NoAnswer(`settled on ${network}`);
  if (payer !== '' && payer.toLowerCase() !== input.payer.toLowerCase())
    throw new NoAnswer('settled for another payer');
  return { outcome: 'settled', transaction };
}

function failed(code: string, message: string): ActivityFailed {
  return new ActivityFailed(code, message, true);
}
