/**
 * The generation row through its life: `running` is the hold, `settled` and `released` end it. A row is replaced whole,
 * so it has one truth; its columns derive from it (`generationCollection`).
 */
import type { Collection } from '../runtime/index.ts';
import type { Generation, HoldMove, HoldRequest, Release, Settlement } from '../terms/hold.ts';
import { compare, subtract } from '../terms/usd.ts';
import type { HoldOpen } from './events.ts';

/** Earlier amounts kept of one hold: more than a request tries endpoints. */
const MOVES_MAX = 32;

/** The hold as it is first written. */
export function opened({ request, key, at }: HoldOpen): Generation {
  return {
    generation: request.generation,
    attempt: request.attempt,
    amount: request.amount,
    gateway: request.gateway,
    deadlineAt: request.deadlineAt,
    model: request.model,
    endpoint: request.endpoint,
    provider: request.provider,
    tariff: request.tariff,
    streamed: request.streamed,
    appTitle: request.appTitle,
    appUrl: request.appUrl,
    user: request.user,
    sessionId: request.sessionId,
    metadata: request.metadata,
    ...(request.route === undefined ? {} : { route: request.route }),
    status: 'running',
    key,
    createdAt: at,
    endedAt: null,
    settlement: null,
    release: null,
    late: false,
    overshoot: null,
  };
}

/**
 * Held by a later attempt, after the release of an earlier one or in its place: the row keeps its beginning, and what the
 * earlier attempt held stays visible among its moves.
 */
export function reopened(row: Generation, event: HoldOpen): Generation {
  return { ...opened(event), createdAt: row.createdAt, moves: movesOf(row) };
}

/** The highest attempt known to have held, or to have been released, whichever is newer. */
export function newestAttempt({ attempt, release }: Generation): number {
  return release === null ? attempt : Math.max(attempt, release.attempt);
}

/** The hold moved to another endpoint: what the caller said of itself stays as it was. */
export function raised(row: Generation, request: HoldRequest): Generation {
  const { attempt, amount, gateway, deadlineAt, model, endpoint, provider, tariff } = request;
  const moves = movesOf(row);
  return { ...row, attempt, amount, gateway, deadlineAt, model, endpoint, provider, tariff, moves };
}

/** The hold as it is joins those before it. */
function movesOf({ moves = [], attempt, endpoint, amount }: Generation): readonly HoldMove[] {
  return [...moves, { attempt, endpoint, amount }].slice(-MOVES_MAX);
}

/** Charged. One that was released before keeps its release beside the late settlement. */
export function settled(row: Generation, settlement: Settlement, at: number): Generation {
  return {
    ...row,
    status: 'settled',
    endedAt: at,
    settlement,
    late: row.status === 'released',
    overshoot: overshootOf(row, settlement.cost),
  };
}

export function released(row: Generation, release: Release, at: number): Generation {
  return { ...row, status: 'released', endedAt: at, release };
}

/** How much a charge exceeds the hold; null when it does not. */
export function overshootOf(row: Generation, cost: string): string | null {
  return compare(cost, row.amount) > 0 ? subtract(cost, row.amount) : null;
}

/** One column: gateway incarnation while running. Running ones are resident. */
export function generationCollection(retentionMs: number | null): Collection {
  return {
    sort: (row: Generation) => row.createdAt,
    index: [(row: Generation) => (row.status === 'running' ? row.gateway : null)],
    open: (row: Generation) => row.status === 'running',
    retentionMs,
  };
}
