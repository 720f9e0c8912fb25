/**
 * The row that finds the accounts which spent most on a UTC day. It has the rank of the day's charges and is written when
 * the rank rises, not with every charge: some twenty times while they grow tenfold. The exact sums are those of the keys.
 */
import type { Collection, Effect } from '../runtime/index.ts';
import { plain } from '../terms/chart-tools.ts';
import { windowStart } from '../terms/spending.ts';
import { subtract } from '../terms/usd.ts';

/** The account's charges of the current day, in its state. */
export interface DayRank {
  /** Store time at which the day began, ms. */
  readonly day: number;
  /** Charges before it, exact decimal USD. */
  readonly before: string;
  readonly rank: number;
  /** Charges, of all days, at which it got this rank. */
  readonly reachedAt: string;
}

interface SpendDay {
  /** Address of the account. */
  readonly account: string;
  readonly day: number;
  readonly rank: number;
}

export const SPEND_DAY = 'spend-day';
const DAY_MS = 24 * 3_600_000;
/** A row is written again after so many days. */
export const SPEND_DAYS_KEPT = 35;
/** Ranks of amounts that differ tenfold. */
const RANKS_PER_DIGIT = 18;
/** Amounts have at most so many decimals. */
const DECIMALS_MAX = 64;

export const spendDayCollection: Collection = {
  sort: ({ rank }: SpendDay) => rank,
  index: [({ day }: SpendDay) => dateOf(day)],
};

function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** After a charge; `charges` are those of all days with it and without it. */
export function rankedDay(
  known: DayRank | null,
  charges: { readonly before: string; readonly after: string },
  at: number,
): DayRank {
  const day = windowStart('daily', at);
  const today = known?.day === day ? known : { day, before: charges.before, rank: -1, reachedAt: '' };
  const rank = rankOf(subtract(charges.after, today.before));
  return rank === today.rank ? today : { day, before: today.before, rank, reachedAt: charges.after };
}

/** Grows with the amount: its magnitude, its first digit, and whether the second is 5 or more. */
export function rankOf(amount: string): number {
  const [whole = '0', fraction = ''] = amount.split('.');
  const digits = whole === '0' ? fraction.replace(/^0+/, '') : whole + fraction;
  if (digits === '') return 0;
  const magnitude = whole === '0' ? digits.length - fraction.length - 1 : whole.length - 1;
  const first = digits.charCodeAt(0) - '1'.charCodeAt(0);
  return (magnitude + DECIMALS_MAX) * RANKS_PER_DIGIT + first * 2 + (digits.charAt(1) >= '5' ? 1 : 0);
}

/** The row, where the charge that made `charges` raised the rank. */
export function putSpendDay(account: string, known: DayRank | null, charges: string): Effect[] {
  if (known === null || known.reachedAt !== charges) return [];
  const { day, rank } = known;
  const row: SpendDay = { account, day, rank };
  return [{ type: 'put', collection: SPEND_DAY, id: String((day / DAY_MS) % SPEND_DAYS_KEPT), body: plain(row) }];
}

/** The accounts of a day, those that spent most first when read in descending order. */
export function spendersOf(day: number) {
  return { collection: SPEND_DAY, where: { column: 0, equals: dateOf(day) } } as const;
}
