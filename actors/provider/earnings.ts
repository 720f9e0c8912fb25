/**
 * What a provider earned on one UTC day, by endpoint: sums over the usage rows of that day, which are written in the
 * commits of the charges. A day is folded once its charges have ended, and its rows are never changed by a later price
 * or fee; folding it again writes the same rows.
 */
import { assignOn, type Collection, type Effect, emitOn, type Stamped } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import type { DaySums } from '../terms/usage.ts';

export const EARNINGS_COLLECTION = 'earning';

/** A row of the collection; amounts are exact decimal USD. */
export interface Earning extends DaySums {
  readonly endpoint: string;
  readonly model: string;
  /** Sum of the charges, the marketplace's part of it, and the rest. */
  readonly gross: string;
  readonly fee: string;
  readonly net: string;
}

/** How far the provider's earnings are folded. */
export interface FoldState {
  /** The first and the last folded day, store times at which they began, ms. */
  readonly first: number;
  readonly last: number;
}

/** Kept as long as the ledger that they sum up. */
export const earningsCollection: Collection = { sort: ({ day }: Earning) => day };

/** A part of a folded day. `isLast` ends the day; a day begun and not ended is folded again. */
export interface DayFold {
  readonly day: number;
  readonly earnings: readonly Earning[];
  readonly isLast: boolean;
}

function folded(before: FoldState | undefined, { day, isLast }: DayFold): FoldState | undefined {
  if (!isLast) return before;
  return { first: Math.min(before?.first ?? day, day), last: Math.max(before?.last ?? day, day) };
}

function foldEffects({ day, earnings }: DayFold): readonly Effect[] {
  return earnings.map((earning) => {
    const id = `${new Date(day).toISOString().slice(0, 10)} ${earning.endpoint} ${earning.model}`;
    return { type: 'put', collection: EARNINGS_COLLECTION, id, body: plain(earning) };
  });
}

export type EarningsFold = Stamped & DayFold & { readonly type: 'earnings.fold' };

interface Folding {
  readonly earnings?: FoldState | undefined;
}

/** The parts of the provider's chart. */
export const earningsActions = {
  fold: assignOn('earnings.fold', ({ earnings }: Folding, event: EarningsFold) => ({
    earnings: folded(earnings, event),
  })),
  putEarnings: emitOn('earnings.fold', (_: Folding, event: EarningsFold) => foldEffects(event)),
};
