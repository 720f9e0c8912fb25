import type { Settlement } from '../../actors/terms/hold.ts';
import { charge } from '../pricing/charge.ts';
import type { Conditions } from '../pricing/prices.ts';
import { isEmpty } from '../terms/exact-decimal.ts';
import type { Receipt } from '../terms/receipt.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * The cost of a turn with a delivery, and the trace for its record. Pure: the result is the same whether it is
 * committed by an ask of its own or inside the commit of another actor.
 */
export function settlementOf({ generation, idempotency }: TurnRequest, receipt: Receipt): Settlement {
  const { candidate, billed, media } = receipt;
  const { at, promptTokens } = conditionsOf(receipt);
  const { cost, unpriced } = charge(candidate.endpoint.tariff, billed, { at, promptTokens, media });
  const settlement: Draft = {
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
  if (idempotency !== undefined) settlement.idempotencyKey = idempotency.key;
  addLessUsual(settlement, receipt);
  addTrace(settlement, receipt);
  return settlement;
}

/**
 * The tariff's conditions at the instant of admission. The reported count decides the price tier of the prompt, or our
 * own where none was reported: the count that is charged. (rule K75)
 */
function conditionsOf({ candidate, usage, admittedAt }: Receipt): Conditions {
  return { at: admittedAt, promptTokens: usage.promptTokens ?? candidate.prompt.counted };
}

type Draft = { -readonly [member in keyof Settlement]: Settlement[member] };

/** Adds members that most turns lack, so that their rows stay small. */
function addLessUsual(settlement: Draft, receipt: Receipt): void {
  const { usage, media, candidate, promptTokensRefused, promptTokensCut } = receipt;
  const { cacheWriteTokens, cacheWrite1hTokens, promptTokens, completionTokens } = usage;
  if (cacheWriteTokens !== undefined) settlement.cacheWriteTokens = cacheWriteTokens;
  if (cacheWrite1hTokens !== undefined) settlement.cacheWrite1hTokens = cacheWrite1hTokens;
  if (!isEmpty(media)) {
    const { imagesUnread: _, audioUnread: __, ...settled } = media;
    if (!isEmpty(settled)) settlement.media = settled;
  }
  if (promptTokens === undefined || completionTokens === undefined) {
    settlement.unmeasured = [
      ...(promptTokens === undefined ? ['prompt'] : []),
      ...(completionTokens === undefined ? ['completion'] : []),
    ];
  }
  if (promptTokensRefused !== undefined) settlement.promptTokensRefused = promptTokensRefused;
  if (promptTokensCut !== undefined) settlement.promptTokensCut = promptTokensCut;
  if (candidate.endpoint.tariff.overrides !== undefined) settlement.conditions = conditionsOf(receipt);
}

/** Adds the trace of the record where there is one. */
function addTrace(
  settlement: Draft,
  { candidate, admittedMs, honoured, usage: { imageTokens, audioTokens } }: Receipt,
): void {
  if (candidate.lowered) settlement.affordableTokensMax = candidate.completionTokensMax;
  if (admittedMs !== null) settlement.admittedMs = admittedMs;
  if (!isEmpty(honoured)) settlement.honoured = honoured;
  if (imageTokens !== undefined) settlement.imageTokens = imageTokens;
  if (audioTokens !== undefined) settlement.audioTokens = audioTokens;
}
