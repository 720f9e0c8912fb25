/** Complete marketplace events for tests, with defaults for all but the essential members. */
import type { HoldRequest, Release, Settlement } from '../../../actors/terms/hold.ts';
import { TESTER } from '../tester.ts';

export const ACCOUNT = 'account:acct_1';
export const KEY = 'key:acct_1/key_1';
/** Friday 2025-11-21, 02:00 UTC. */
export const START = 1_763_690_400_000;

export function request(generation: string, amount: string, more: Partial<HoldRequest> = {}): HoldRequest {
  return {
    generation,
    attempt: 0,
    amount,
    gateway: 'inc-1',
    deadlineAt: START + 660_000,
    model: 'author/model',
    endpoint: 'ep_1',
    provider: 'Provider',
    tariff: 'tariff-1',
    streamed: false,
    appTitle: null,
    appUrl: null,
    user: null,
    sessionId: null,
    metadata: null,
    repeat: false,
    ...more,
  };
}

export function settlement(generation: string, cost: string, attempt = 0): Settlement {
  return {
    generation,
    attempt,
    cost,
    unpriced: [],
    promptTokens: 10,
    completionTokens: 20,
    cachedTokens: null,
    reasoningTokens: null,
    estimated: false,
    finishReason: 'stop',
    nativeFinishReason: 'stop',
    upstreamId: 'up-1',
    cancelled: false,
    latencyMs: 120,
    generationMs: 900,
    attempts: [],
  };
}

export function release(generation: string, attempt = 0): Release {
  return { generation, attempt, reason: 'provider failed', status: 502, attempts: [] };
}

export const admitEvent = (held: HoldRequest, perMinute = 1_000_000) => ({
  type: 'turn.admit',
  request: held,
  perMinute,
});
export const raiseEvent = (held: HoldRequest) => ({ type: 'turn.raise', request: held });
export const settleEvent = (ended: Settlement) => ({ type: 'hold.settle', settlement: ended });
export const releaseEvent = (ended: Release) => ({ type: 'hold.release', release: ended });
export const releaseManyEvent = (key: string, releases: readonly Release[]) => ({
  type: 'holds.release',
  key,
  releases,
});
export const depositEvent = (deposit: string, amount: string) => ({
  type: 'deposit.credit',
  by: TESTER,
  deposit,
  amount,
});
export const adjustmentEvent = (adjustment: string, amount: string, reason = 'a test') => ({
  type: 'adjustment.record',
  by: TESTER,
  adjustment,
  amount,
  reason,
});

export function createKeyEvent(more: Record<string, unknown> = {}) {
  return {
    type: 'key.create',
    by: TESTER,
    digest: 'd'.repeat(64),
    handle: 'f'.repeat(64),
    label: 'sk-gw-v1-abc...xyz',
    name: 'test',
    kind: 'inference',
    limit: null,
    limitWindow: null,
    expiresAt: null,
    perMinute: null,
    ...more,
  };
}
