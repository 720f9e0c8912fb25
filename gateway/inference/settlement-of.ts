import type { Settlement } from '../../actors/terms/hold.ts';
import { charge } from '../pricing/charge.ts';
import { promptTokensHeld } from '../pricing/estimate.ts';
import type { Conditions } from '../pricing/prices.ts';
import { isEmpty } from '../terms/is-empty.ts';
import type { Receipt } from '../terms/receipt.ts';
import type { TurnRequest } from './turn-request.ts';

/**
 * What a turn of which something was delivered has cost, and what its record tells beside. Pure: whoever commits it, by an
 * ask of its own or inside the commit of another actor, commits the same.
 */
export function settlementOf({ generation }: TurnRequest, receipt: Receipt): Settlement {
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
  addLessUsual(settlement, receipt);
  addStory(settlement, receipt);
  return settlement;
}

/**
 * By the tariff and at the instant of admission. The prompt's tier is that of the reported count; where none was reported
 * it stays the one that the hold was read from, so that the entry it was admitted under is charged at its own price.
 * (spec: inference, Routing rules 9; catalogue, Conditional prices)
 */
function conditionsOf({ candidate, usage, admittedAt }: Receipt): Conditions {
  return {
    at: admittedAt,
    promptTokens: usage.promptTokens ?? promptTokensHeld(candidate.endpoint, candidate.prompt.bound),
  };
}

type Draft = { -readonly [member in keyof Settlement]: Settlement[member] };

/** What most turns have nothing of: those keep a small row. */
function addLessUsual(settlement: Draft, receipt: Receipt): void {
  const { usage, media, candidate } = receipt;
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
  if (candidate.endpoint.tariff.overrides !== undefined) settlement.conditions = conditionsOf(receipt);
}

/** What the record tells beside the charge, where there is something to tell. */
function addStory(settlement: Draft, { admittedMs, honoured, usage: { imageTokens, audioTokens } }: Receipt): void {
  if (admittedMs !== null) settlement.admittedMs = admittedMs;
  if (!isEmpty(honoured)) settlement.honoured = honoured;
  if (imageTokens !== undefined) settlement.imageTokens = imageTokens;
  if (audioTokens !== undefined) settlement.audioTokens = audioTokens;
}
