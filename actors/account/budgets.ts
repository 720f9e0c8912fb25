/**
 * What the workspaces of an account spend, and their budgets: limits by interval. Sums are kept from the first charge on,
 * in the commit of each charge, so that a budget that is set later counts exactly. A hold counts in the workspace of its
 * key at the grant, and its charge in the same one, also after the key moved. Pure.
 */
import { assignOn, type Effect, emitOn, guardOn, type RowRef, type Stamped } from '../runtime/index.ts';
import { allRows, refuse } from '../terms/chart-tools.ts';
import type { Generation } from '../terms/hold.ts';
import type { LimitWindow } from '../terms/spending.ts';
import { NOTHING_SPENT, roomOf, spend } from '../terms/spending.ts';
import { add, compare, subtract } from '../terms/usd.ts';
import {
  BUDGET_INTERVALS,
  type BudgetInterval,
  type BudgetLimits,
  DEFAULT_WORKSPACE,
  WORKSPACES_MAX,
} from '../terms/workspace.ts';
import { type AccountState, nextOf, type WorkspaceSum, type WorkspaceSums } from './account-state.ts';

/** From a workspace, by its id or as `DEFAULT_WORKSPACE`, in the commit that creates it; refused beyond the bound. */
type WorkspaceOpened = Stamped & { readonly type: 'workspace.opened'; readonly workspace: string };
/** From a workspace in the commit that ends it: its sums and its budget end too. */
type WorkspaceClosed = Stamped & { readonly type: 'workspace.closed'; readonly workspace: string };
/** From a workspace: its limits after a change; none removes its budget. */
type BudgetSet = Stamped & {
  readonly type: 'budget.set';
  readonly workspace: string;
  readonly limits: BudgetLimits;
};
export type BudgetEvent = WorkspaceOpened | WorkspaceClosed | BudgetSet;

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
function openWorkspace(state: AccountState, { workspace }: WorkspaceOpened): AccountState {
  const next = withSum(state, workspace, state.budgets?.[workspace] ?? NO_SUM);
  next.workspaces++;
  return next;
}

/** Undoes the creation of the workspace. */
function refuseWorkspace(): Effect {
  const message = `An account has at most ${WORKSPACES_MAX} workspaces; delete one first`;
  return refuse({ status: 403, type: 'permission_denied', message, metadata: { limit: WORKSPACES_MAX } });
}

function closeWorkspace(state: AccountState, { workspace }: WorkspaceClosed): AccountState {
  const { [workspace]: _, ...others } = state.budgets ?? {};
  const next = nextOf(state);
  next.budgets = others;
  next.workspaces--;
  return next;
}

/** Sets the limits of a workspace. The first ones count what runs now. */
function setBudget(state: AccountState, event: BudgetSet): AccountState {
  const { workspace, limits } = event;
  const before = state.budgets?.[workspace] ?? NO_SUM;
  const held = hasLimits(before.limits) ? before.held : heldBy(event, workspace);
  return withSum(state, workspace, { ...before, limits, held: hasLimits(limits) ? held : '0' });
}

function heldBy(event: Stamped, workspace: string): string {
  return allRows(event, 'generation')
    .map(({ body }) => body as unknown as Generation)
    .filter((row) => workspaceOf(row) === workspace)
    .reduce((sum, { amount }) => add(sum, amount), '0');
}

function withSum(state: AccountState, workspace: string, sum: WorkspaceSum): ReturnType<typeof nextOf> {
  const next = nextOf(state);
  next.budgets = { ...state.budgets, [workspace]: sum };
  return next;
}

/** Changes what the workspace of a hold holds by `delta`, which may be negative; most workspaces have no budget. */
export function inBudget(state: AccountState, hold: { readonly workspace?: string }, delta: string): AccountState {
  if (state.budgets === null) return state;
  const workspace = workspaceOf(hold);
  const sum = state.budgets[workspace];
  if (sum === undefined || !hasLimits(sum.limits)) return state;
  return withSum(state, workspace, { ...sum, held: add(sum.held, delta) });
}

/** Frees ended holds in the budgets of their workspaces. */
export function freedInBudgets(state: AccountState, ended: readonly Generation[]): AccountState {
  if (state.budgets === null) return state;
  return ended.reduce((next, row) => inBudget(next, row, subtract('0', row.amount)), state);
}

/** Records a charge; `held` is the amount that it frees. A workspace that has ended counts nothing any more. */
export function chargedInBudgets(
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

export const rows = {
  'budget.set': (): readonly RowRef[] => [{ as: 'generation', collection: 'generation', open: true }],
};

export const guards = {
  hasTooManyWorkspaces: guardOn('*', ({ workspaces }: AccountState) => workspaces >= WORKSPACES_MAX),
};

export const actions = {
  openWorkspace: assignOn('workspace.opened', openWorkspace),
  refuseWorkspace: emitOn('*', refuseWorkspace),
  closeWorkspace: assignOn('workspace.closed', closeWorkspace),
  setBudget: assignOn('budget.set', setBudget),
};
