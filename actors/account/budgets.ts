/**
 * The budgets of an account's workspaces: limits by interval, with the sums that they are judged by. Only workspaces with
 * a budget are here, so most accounts have none. A hold counts in the workspace of its key at the grant, and its charge
 * in the same one, also after the key moved. Pure.
 */

import { ownerOf } from '../runtime/index.ts';
import { type LimitWindow, windowStart } from '../terms/calendar.ts';
import type { Generation } from '../terms/hold.ts';
import { defaultWorkspaceId } from '../terms/ids.ts';
import { NOTHING_SPENT, roomOf, type Spending, spend } from '../terms/spending.ts';
import { add, compare, subtract } from '../terms/usd.ts';
import { BUDGET_INTERVALS, type BudgetInterval, type BudgetLimits } from '../terms/workspace.ts';

/** The sums of one workspace. Exact decimal USD. */
export interface Budget {
  readonly limits: BudgetLimits;
  readonly spending: Spending;
  /** Sum of open holds. */
  readonly held: string;
}

/** By workspace id. */
export type WorkspaceSums = Readonly<Record<string, Budget>>;

/** The id of the workspace that a hold counts in; absent members name the default one. */
export function workspaceOf(account: string, { workspace }: { readonly workspace?: string }): string {
  return workspace ?? defaultWorkspaceId(ownerOf(account));
}

/** The least that the limits of a workspace leave; may be negative. Null: no budget. */
export function budgetRoom(budgets: WorkspaceSums | null, workspace: () => string, at: number): string | null {
  const budget = budgets?.[workspace()];
  if (budget === undefined) return null;
  let least: string | null = null;
  for (const interval of BUDGET_INTERVALS) {
    const limit = budget.limits[interval];
    if (limit === undefined) continue;
    const limitWindow = windowOf(interval);
    const room = roomOf({ limit, limitWindow, spending: budget.spending, held: budget.held }, at) as string;
    if (least === null || compare(room, least) < 0) least = room;
  }
  return least;
}

function windowOf(interval: BudgetInterval): LimitWindow | null {
  return interval === 'lifetime' ? null : interval;
}

export interface LimitsChange {
  readonly workspace: string;
  readonly limits: BudgetLimits;
  /** What was spent before the first budget, by interval. */
  readonly spent: Readonly<Record<BudgetInterval, string>>;
  readonly running: readonly Generation[];
  readonly at: number;
}

/** Sets the limits of a workspace. The first ones count what its keys have spent so far and what runs now. */
export function withLimits(account: string, budgets: WorkspaceSums | null, change: LimitsChange): WorkspaceSums | null {
  const { workspace, limits, running } = change;
  const { [workspace]: before, ...others } = budgets ?? {};
  if (Object.keys(limits).length === 0) return Object.keys(others).length === 0 ? null : others;
  if (before !== undefined) return { ...others, [workspace]: { ...before, limits } };
  const held = running
    .filter((row) => workspaceOf(account, row) === workspace)
    .reduce((sum, { amount }) => add(sum, amount), '0');
  return { ...others, [workspace]: { limits, spending: openingSpending(change), held } };
}

function openingSpending({ spent, at }: LimitsChange): Spending {
  const total = spent.lifetime;
  const rollUp = (window: LimitWindow) => ({ start: windowStart(window, at), before: subtract(total, spent[window]) });
  if (total === '0') return NOTHING_SPENT;
  return { total, daily: rollUp('daily'), weekly: rollUp('weekly'), monthly: rollUp('monthly') };
}

/** Changes the sum of open holds by `delta`, which may be negative. */
export function withBudgetHeld(budgets: WorkspaceSums, workspace: string, delta: string): WorkspaceSums {
  const budget = budgets[workspace];
  if (budget === undefined) return budgets;
  return { ...budgets, [workspace]: { ...budget, held: add(budget.held, delta) } };
}

/** Records a charge; `held` is the amount that it frees. */
export function withBudgetCharge(
  budgets: WorkspaceSums,
  workspace: string,
  { cost, held, at }: { readonly cost: string; readonly held: string; readonly at: number },
): WorkspaceSums {
  const budget = budgets[workspace];
  if (budget === undefined) return budgets;
  const after = { ...budget, spending: spend(budget.spending, cost, at), held: subtract(budget.held, held) };
  return { ...budgets, [workspace]: after };
}
