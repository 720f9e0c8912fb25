import type { Settlement } from '../../actors/terms/hold.ts';
import { charge } from '../pricing/charge.ts';
import type { Receipt } from '../terms/receipt.ts';
import { callerLeft } from './end-of-trial.ts';
import { chargeHold, releaseHold } from './hold.ts';
import type { InferenceServices } from './services.ts';
import type { TurnRequest } from './turn-request.ts';

/** What a turn was charged: exact decimal USD, and the consumed units without a declared price. */
export interface TurnCharge {
  readonly cost: string;
  readonly unpriced: readonly string[];
}

/**
 * Charges a turn by its receipt, with one ask. Null when the account could not be reached: the charge is then closed in
 * the background and the caller is shown none. Null too for a turn of which nothing was delivered: its hold is let go.
 */
export async function settleTurn(
  services: InferenceServices,
  request: TurnRequest,
  receipt: Receipt,
): Promise<TurnCharge | null> {
  if (!receipt.delivered) {
    const { attempt, attempts } = receipt;
    const { message: reason, status } = callerLeft();
    const ended = { generation: request.generation, attempt, reason, status, attempts };
    releaseHold(services, request.caller.account, ended);
    return null;
  }
  const { cost, unpriced } = charge(receipt.candidate.offer.tariff, receipt.billed);
  const settled = await chargeHold(services, request.caller.account, settlementOf(request, receipt, cost, unpriced));
  return settled === null ? null : { cost: settled.cost, unpriced };
}

function settlementOf(
  { generation }: TurnRequest,
  receipt: Receipt,
  cost: string,
  unpriced: readonly string[],
): Settlement {
  const { billed } = receipt;
  return {
    generation,
    attempt: receipt.attempt,
    cost,
    unpriced,
    promptTokens: billed.promptTokens ?? null,
    completionTokens: billed.completionTokens ?? null,
    cachedTokens: billed.cachedTokens ?? null,
    reasoningTokens: billed.reasoningTokens ?? null,
    estimated: receipt.estimated,
    finishReason: receipt.finishReason,
    nativeFinishReason: receipt.nativeFinishReason,
    upstreamId: receipt.upstreamId,
    cancelled: receipt.cancelled,
    latencyMs: receipt.latencyMs,
    generationMs: receipt.generationMs,
    attempts: receipt.attempts,
  };
}
