/**
 * What the workspaces of an account spend, and their budgets: limits by interval. Sums are kept from the first charge on,
 * in the commit of each charge, so that a budget that is set later counts exactly. A hold counts in the workspace of its
 * key at the grant, and its charge in the same one, also after the key moved. Pure.
 */

import type { LimitWindow } from '../terms/calendar.ts';
import type { Generation } from '../terms/hold.ts';
import { NOTHING_SPENT, roomOf, type Spending, spend } from '../terms/spending.ts';
import { add, compare, subtract } from '../terms/usd.ts';
import { BUDGET_INTERVALS, type BudgetInterval, type BudgetLimits, DEFAULT_WORKSPACE } from '../terms/workspace.ts';

/** One workspace. Exact decimal USD. */
export interface WorkspaceSum {
  /** Empty: no budget. */
  readonly limits: BudgetLimits;
  readonly spending: Spending;
  /** Sum of open holds; 0 without a budget, which alone needs it. */
  readonly held: string;
}

/** By workspace: `DEFAULT_WORKSPACE`, or the id of any other one from its creation to its end. */
export type WorkspaceSums = Readonly<Record<string, WorkspaceSum>>;

const NO_SUM: WorkspaceSum = { limits: {}, spending: NOTHING_SPENT, held: '0' };

/** The name of the workspace that a hold counts in; absent members name the default one. */
export function workspaceOf({ workspace }: { readonly workspace?: string }): string {
  return workspace ?? DEFAULT_WORKSPACE;
}

/** The least that the limits of a workspace leave; may be negative. Null: no budget. */
export function budgetRoom(sums: WorkspaceSums | null, workspace: string, at: number): string | null {
  const sum = sums?.[workspace];
  if (sum === undefined) return null;
  let least: string | null = null;
  for (const interval of BUDGET_INTERVALS) {
    const limit = sum.limits[interval];
    if (limit === undefined) continue;
    const limitWindow = windowOf(interval);
    const room = roomOf({ limit, limitWindow, spending: sum.spending, held: sum.held }, at) as string;
    if (least === null || compare(room, least) < 0) least = room;
  }
  return least;
}

function windowOf(interval: BudgetInterval): LimitWindow | null {
  return interval === 'lifetime' ? null : interval;
}

/** The workspaces with a budget; null without any. */
export function budgeted(sums: WorkspaceSums | null): WorkspaceSums | null {
  const found = Object.entries(sums ?? {}).filter(([, { limits }]) => hasLimits(limits));
  return found.length === 0 ? null : Object.fromEntries(found);
}

function hasLimits(limits: BudgetLimits): boolean {
  for (const _ in limits) return true;
  return false;
}

/** A workspace that is created has spent nothing; the default one may have spent before it is stored. */
export function withWorkspace(sums: WorkspaceSums | null, workspace: string): WorkspaceSums {
  return { ...sums, [workspace]: sums?.[workspace] ?? NO_SUM };
}

export function withoutWorkspace(sums: WorkspaceSums | null, workspace: string): WorkspaceSums {
  const { [workspace]: _, ...others } = sums ?? {};
  return others;
}

export interface LimitsChange {
  readonly workspace: string;
  readonly limits: BudgetLimits;
  readonly running: readonly Generation[];
}

/** Sets the limits of a workspace. The first ones count what runs now. */
export function withLimits(sums: WorkspaceSums | null, { workspace, limits, running }: LimitsChange): WorkspaceSums {
  const before = sums?.[workspace] ?? NO_SUM;
  const held = hasLimits(before.limits) ? before.held : heldBy(running, workspace);
  return { ...sums, [workspace]: { ...before, limits, held: hasLimits(limits) ? held : '0' } };
}

function heldBy(running: readonly Generation[], workspace: string): string {
  return running.filter((row) => workspaceOf(row) === workspace).reduce((sum, { amount }) => add(sum, amount), '0');
}

/** Changes the sum of open holds by `delta`, which may be negative. */
export function withBudgetHeld(sums: WorkspaceSums, workspace: string, delta: string): WorkspaceSums {
  const sum = sums[workspace];
  if (sum === undefined || !hasLimits(sum.limits)) return sums;
  return { ...sums, [workspace]: { ...sum, held: add(sum.held, delta) } };
}

/** Records a charge; `held` is the amount that it frees. A workspace that has ended counts nothing any more. */
export function withWorkspaceCharge(
  sums: WorkspaceSums | null,
  workspace: string,
  { cost, held, at }: { readonly cost: string; readonly held: string; readonly at: number },
): WorkspaceSums | null {
  const sum = sums?.[workspace] ?? (workspace === DEFAULT_WORKSPACE ? NO_SUM : undefined);
  if (sum === undefined) return sums;
  const { limits, spending } = sum;
  const left = hasLimits(limits) ? subtract(sum.held, held) : '0';
  return { ...sums, [workspace]: { limits, spending: spend(spending, cost, at), held: left } };
}
