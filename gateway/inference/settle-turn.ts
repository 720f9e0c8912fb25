import type { Settlement } from '../../actors/terms/hold.ts';
import { type Charge, charge } from '../pricing/charge.ts';
import { promptTokensHeld } from '../pricing/estimate.ts';
import type { Conditions } from '../pricing/prices.ts';
import type { Receipt } from '../terms/receipt.ts';
import { callerLeft } from './end-of-trial.ts';
import { chargeHold, releaseHold } from './hold.ts';
import type { InferenceServices } from './services.ts';
import type { TurnRequest } from './turn-request.ts';

/** What a turn was charged: exact decimal USD, and the consumed units without a declared price. */
export type TurnCharge = Charge;

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
    const { attempt, attempts, admittedMs, generationMs: totalMs } = receipt;
    const { message: reason, status } = callerLeft();
    const ended = { generation: request.generation, attempt, reason, status, attempts, totalMs };
    releaseHold(services, request.caller.account, admittedMs === null ? ended : { ...ended, admittedMs });
    return null;
  }
  const { cost, unpriced } = charge(receipt.candidate.offer.tariff, receipt.billed, {
    ...conditionsOf(receipt),
    media: receipt.media,
  });
  const settled = await chargeHold(services, request.caller.account, settlementOf(request, receipt, cost, unpriced));
  return settled === null ? null : { cost: settled.cost, unpriced };
}

/**
 * By the tariff and at the instant of admission. The prompt's tier is that of the reported count; where none was reported
 * it stays the one that the hold was read from, so that the entry it was admitted under is charged at its own price.
 * (spec: inference, Routing rules 9; catalogue, Conditional prices)
 */
function conditionsOf({ candidate, usage, admittedAt }: Receipt): Conditions {
  return {
    at: admittedAt,
    promptTokens: usage.promptTokens ?? promptTokensHeld(candidate.offer, candidate.prompt.bound),
  };
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
    ...lessUsual(receipt),
    estimated: receipt.estimated,
    finishReason: receipt.finishReason,
    nativeFinishReason: receipt.nativeFinishReason,
    upstreamId: receipt.upstreamId,
    cancelled: receipt.cancelled,
    latencyMs: receipt.latencyMs,
    generationMs: receipt.generationMs,
    ...story(receipt),
    attempts: receipt.attempts,
  };
}

type LessUsual = Pick<Settlement, 'cacheWriteTokens' | 'cacheWrite1hTokens' | 'media' | 'unmeasured' | 'conditions'>;

/** What most turns have nothing of: those keep a small row. */
function lessUsual(receipt: Receipt): LessUsual {
  const { usage, media, candidate } = receipt;
  const { cacheWriteTokens, cacheWrite1hTokens, promptTokens, completionTokens } = usage;
  const { imagesUnread: _, audioUnread: __, ...settled } = media;
  const unmeasured = [
    ...(promptTokens === undefined ? ['prompt'] : []),
    ...(completionTokens === undefined ? ['completion'] : []),
  ];
  return {
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
    ...(cacheWrite1hTokens === undefined ? {} : { cacheWrite1hTokens }),
    ...(Object.keys(settled).length === 0 ? {} : { media: settled }),
    ...(unmeasured.length === 0 ? {} : { unmeasured }),
    ...(candidate.offer.tariff.overrides === undefined ? {} : { conditions: conditionsOf(receipt) }),
  };
}

type Story = Pick<Settlement, 'admittedMs' | 'honoured' | 'imageTokens' | 'audioTokens'>;

/** What the record tells beside the charge, where there is something to tell. */
function story({ admittedMs, honoured, usage: { imageTokens, audioTokens } }: Receipt): Story {
  const told: { -readonly [member in keyof Story]: Story[member] } = {};
  if (admittedMs !== null) told.admittedMs = admittedMs;
  if (Object.keys(honoured).length > 0) told.honoured = honoured;
  if (imageTokens !== undefined) told.imageTokens = imageTokens;
  if (audioTokens !== undefined) told.audioTokens = audioTokens;
  return told;
}
