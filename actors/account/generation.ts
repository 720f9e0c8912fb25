/**
 * The states of the generation row: `running` is the hold; `settled` and `released` end it. A row is always replaced as
 * a whole; its columns are derived from it (`generationCollection`).
 */
import type { Collection, RowRef, Stamped } from '../runtime/index.ts';
import { firstRow } from '../terms/chart-tools.ts';
import type { Generation, HoldMove, HoldRequest, Release, Settlement } from '../terms/hold.ts';
import type { Refusal } from '../terms/refusal.ts';
import { compare, subtract } from '../terms/usd.ts';

/** Earlier amounts kept per hold: more than a request can try endpoints. */
const MOVES_MAX = 32;

/** What is to be held: the members of an event that the row takes. */
interface NewHold {
  readonly request: HoldRequest;
  /** Address of the key. */
  readonly key: string;
  /** The workspace of the key; absent: the default one. */
  readonly workspace?: string;
  readonly at: number;
}

/** The row of a new hold. */
export function opened({ request, key, at, workspace }: NewHold): Generation {
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
    ...(request.apiType === undefined ? {} : { apiType: request.apiType }),
    ...(request.unread === undefined ? {} : { unread: request.unread }),
    ...(request.route === undefined ? {} : { route: request.route }),
    ...(request.idempotency === undefined ? {} : { idempotency: request.idempotency }),
    ...(workspace === undefined ? {} : { workspace }),
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
 * The row of a hold taken by a later attempt, after the release of an earlier one or in its place. The row keeps its
 * creation time, and the earlier attempt's hold is appended to its moves.
 */
export function reopened(row: Generation, event: NewHold): Generation {
  return { ...opened(event), createdAt: row.createdAt, moves: movesOf(row) };
}

/** The highest attempt that has held or has been released. */
export function newestAttempt({ attempt, release }: Generation): number {
  return release === null ? attempt : Math.max(attempt, release.attempt);
}

/** The row after the hold moved to another endpoint; the caller's own members stay unchanged. */
export function raised(row: Generation, request: HoldRequest): Generation {
  const { attempt, amount, gateway, deadlineAt, model, endpoint, provider, tariff } = request;
  const moves = movesOf(row);
  return { ...row, attempt, amount, gateway, deadlineAt, model, endpoint, provider, tariff, moves };
}

/** The moves of the row with its current hold appended. */
function movesOf({ moves = [], attempt, endpoint, amount }: Generation): readonly HoldMove[] {
  return [...moves, { attempt, endpoint, amount }].slice(-MOVES_MAX);
}

/** Charged. A row that was released before keeps its release beside the late settlement. */
export function settled(row: Generation, settlement: Settlement, at: number): Generation {
  return {
    ...row,
    ...settlement.served,
    status: 'settled',
    endedAt: at,
    settlement,
    late: row.status === 'released',
    overshoot: overshootOf(row, settlement.cost),
  };
}

/** Nothing is charged: the caller's metadata, up to 65,536 characters, is not kept for the row's retention. */
export function released(row: Generation, release: Release, at: number): Generation {
  return { ...row, metadata: null, status: 'released', endedAt: at, release };
}

/** The amount by which a charge exceeds the hold; null when it does not. */
export function overshootOf(row: Generation, cost: string): string | null {
  return compare(cost, row.amount) > 0 ? subtract(cost, row.amount) : null;
}

/**
 * Index columns, which every request pays for. 0 is the gateway incarnation while the generation runs, null for a job's,
 * then its outcome; the others never change after the hold but for a hold that moves to another model. The generations
 * of a key are found among those of its account.
 */
export const GENERATION_OUTCOME = 0;
export const GENERATION_MODEL = 1;
export const GENERATION_SESSION = 2;

/**
 * How a generation ended, for lists over all accounts: `dear` was charged `DEAR_USD` or more, `cancelled` was charged
 * less and its client left before the end. No incarnation has such a name.
 */
export const GENERATION_OUTCOMES = ['settled', 'dear', 'cancelled', 'released'] as const;
type GenerationOutcome = (typeof GENERATION_OUTCOMES)[number];
export const DEAR_USD = '1';

function outcomeOf({ status, settlement }: Generation): GenerationOutcome | null {
  if (status === 'running') return null;
  if (settlement === null) return 'released';
  if (compare(settlement.cost, DEAR_USD) >= 0) return 'dear';
  return settlement.cancelled ? 'cancelled' : 'settled';
}

/** Running rows are kept in memory. */
export function generationCollection(retentionMs: number | null): Collection {
  return {
    sort: (row: Generation) => row.createdAt,
    index: [
      (row: Generation) => (row.status === 'running' ? row.gateway : outcomeOf(row)),
      (row: Generation) => row.model,
      (row: Generation) => row.sessionId,
    ],
    open: (row: Generation) => row.status === 'running',
    retentionMs,
    reported: ({ late, overshoot }: Generation) => late || overshoot !== null,
  };
}

/** An attempt that does not (or no longer) hold the money can neither charge nor release it. */
export const STALE: Refusal = {
  status: 409,
  type: 'conflict',
  message: 'Another attempt holds the money of this generation',
};

/** The row that the event is about; null when there is none. */
export function generationOf(event: Pick<Stamped, 'rows'>): Generation | null {
  return firstRow<Generation>(event, 'generation');
}

/** As `generationOf`, of an event that the chart accepts only with a row. */
export function rowOf(event: Pick<Stamped, 'rows'>): Generation {
  const row = generationOf(event);
  if (row === null) throw new Error('the event has no generation row');
  return row;
}

export function generationRef(id: string, mayBeStored: boolean): RowRef {
  return { as: 'generation', collection: 'generation', id, mayBeStored };
}

export const ALL_RUNNING: RowRef = { as: 'generation', collection: 'generation', open: true };
