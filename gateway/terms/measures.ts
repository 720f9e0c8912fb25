import type { AttemptRecord, Generation, Settlement } from '../../actors/terms/hold.ts';
import type { RefusedRequest } from '../../actors/terms/refused-request.ts';
import type { Receipt } from './receipt.ts';

/** An endpoint as the metrics name it. */
export interface MeasuredEndpoint {
  readonly model: string;
  /** Display name. */
  readonly provider: string;
}

/** What one node measures of its requests. Every call is cheap and never throws. */
export interface Measures {
  /** `route` is a method and the path of a route, never what a client wrote; null: no route. */
  requestEnded(route: string | null, status: number, tookMs: number): void;
  /** `account` is the caller's address; null for a request without a valid key. */
  requestRefused(account: string | null, refused: Omit<RefusedRequest, 'node'>): void;
  /** Refused for overload, so long after the head of the request. */
  requestShed(tookMs: number): void;
  attemptEnded(endpoint: MeasuredEndpoint, attempt: Pick<AttemptRecord, 'outcome' | 'reason'>): void;
  /** The first part of an answer arrived. */
  turnServed(receipt: Receipt): void;
  /** The provider reported implausibly many prompt tokens, and our own count is charged. */
  usageRefused(): void;
  charged(endpoint: MeasuredEndpoint, settlement: Pick<Settlement, 'cost' | 'promptTokens' | 'completionTokens'>): void;
  /** A video was rendered and delivered, so long after its render began. */
  rendered(endpoint: MeasuredEndpoint, tookMs: number): void;
  /** A charge that came late or exceeded its hold, at the node that owns the account. */
  settled(charged: Pick<Generation, 'late' | 'overshoot'>): void;
  holdOpened(): void;
  holdEnded(): void;
  committed(tookMs: number): void;
}

/** For a node whose measurements nobody reads. */
export const NO_MEASURES: Measures = {
  requestEnded: nothing,
  requestRefused: nothing,
  requestShed: nothing,
  attemptEnded: nothing,
  turnServed: nothing,
  usageRefused: nothing,
  charged: nothing,
  rendered: nothing,
  settled: nothing,
  holdOpened: nothing,
  holdEnded: nothing,
  committed: nothing,
};

function nothing(): void {}
