/**
 * A reference model of an account's workspaces in a hundred lines: members, the keys that belong to them, and budgets.
 * It keeps every hold and every charge with the workspace of its key at the grant, and adds them up. Answers one word:
 * `ok`, a status, or `absent`.
 */
import { windowText } from './key-model.ts';

export const INTERVALS = ['daily', 'weekly', 'monthly', 'lifetime'] as const;
export type ModelInterval = (typeof INTERVALS)[number];

interface ModelWorkspace {
  readonly members: Map<string, 'admin' | 'member'>;
  readonly budgets: Map<ModelInterval, bigint>;
}

interface ModelKey {
  workspace: string;
  member: string | null;
  status: 'active' | 'disabled' | 'revoked';
}

export interface WorkspaceHold {
  readonly key: string;
  workspace: string;
  amount: bigint;
  attempt: number;
  gateway: string;
  deadlineAt: number;
  status: 'running' | 'settled' | 'released';
  cost: bigint | null;
}

export class WorkspaceModel {
  readonly workspaces = new Map<string, ModelWorkspace>();
  readonly keys = new Map<string, ModelKey>();
  readonly holds = new Map<string, WorkspaceHold>();
  charges: readonly { readonly at: number; readonly workspace: string; readonly cost: bigint }[] = [];

  now: number;
  readonly #common: string;

  /** `common`: the default workspace, which counts no keys and is never deleted. */
  constructor(now: number, common: string) {
    this.now = now;
    this.#common = common;
  }

  keysOf(workspace: string, member?: string): number {
    const belongs = (key: ModelKey): boolean =>
      key.status !== 'revoked' && key.workspace === workspace && (member === undefined || key.member === member);
    return workspace === this.#common ? 0 : [...this.keys.values()].filter(belongs).length;
  }

  held(workspace: string): bigint {
    const running = [...this.holds.values()].filter(
      (hold) => hold.status === 'running' && hold.workspace === workspace,
    );
    return running.reduce((sum, { amount }) => sum + amount, 0n);
  }

  spent(workspace: string, interval: ModelInterval): bigint {
    const current = windowText(interval, this.now);
    const own = this.charges.filter((one) => one.workspace === workspace && windowText(interval, one.at) === current);
    return own.reduce((sum, { cost }) => sum + cost, 0n);
  }

  /** The least that the budgets leave; null without one. */
  left(workspace: string): bigint | null {
    const budgets = [...(this.workspaces.get(workspace)?.budgets ?? [])];
    const rooms = budgets.map(([interval, limit]) => limit - this.spent(workspace, interval) - this.held(workspace));
    return rooms.reduce<bigint | null>((least, room) => (least === null || room < least ? room : least), null);
  }

  create(workspace: string): void {
    if (!this.workspaces.has(workspace)) this.workspaces.set(workspace, { members: new Map(), budgets: new Map() });
  }

  add(workspace: string, users: readonly string[], role: 'admin' | 'member'): string {
    const members = this.workspaces.get(workspace)?.members;
    for (const user of users) members?.set(user, role);
    return members === undefined ? 'absent' : 'ok';
  }

  remove(workspace: string, users: readonly string[]): string {
    const members = this.workspaces.get(workspace)?.members;
    if (members === undefined) return 'absent';
    if (users.some((user) => members.has(user) && this.keysOf(workspace, user) > 0)) return '409';
    for (const user of users) members.delete(user);
    return 'ok';
  }

  setBudget(workspace: string, interval: ModelInterval, limit: bigint | null): string {
    const budgets = this.workspaces.get(workspace)?.budgets;
    if (limit === null) budgets?.delete(interval);
    else budgets?.set(interval, limit);
    return budgets === undefined ? 'absent' : 'ok';
  }

  delete(workspace: string): string {
    if (!this.workspaces.has(workspace)) return 'absent';
    if (workspace === this.#common) return '403';
    if (this.keysOf(workspace) > 0) return '409';
    this.workspaces.delete(workspace);
    this.charges = this.charges.filter((one) => one.workspace !== workspace);
    return 'ok';
  }

  /** A new key, or an existing one in another workspace. */
  join(key: string, workspace: string, member: string | null): string {
    const known = this.keys.get(key);
    if (known?.status === 'revoked' || known?.workspace === workspace) return 'ok';
    const refused = this.refusedIn(workspace, member);
    if (refused === null) this.keys.set(key, { status: 'active', ...known, workspace, member });
    return refused ?? 'ok';
  }

  assign(key: string, member: string | null): string {
    const known = this.keys.get(key);
    if (known === undefined) return 'absent';
    if (known.status === 'revoked' || known.member === member) return 'ok';
    const refused = this.refusedIn(known.workspace, member);
    if (refused === null) known.member = member;
    return refused ?? 'ok';
  }

  private refusedIn(workspace: string, member: string | null): 'absent' | '400' | null {
    if (workspace === this.#common) return null;
    const members = this.workspaces.get(workspace)?.members;
    if (members === undefined) return 'absent';
    return member === null || members.has(member) ? null : '400';
  }

  /** A first hold, or one of a later attempt that replaces a running one. */
  admit(id: string, wanted: Omit<WorkspaceHold, 'status' | 'cost' | 'workspace'>): string {
    const key = this.keys.get(wanted.key);
    if (key?.status !== 'active') return '401';
    const { workspace } = key;
    const before = this.holds.get(id);
    if (before !== undefined && (before.key !== wanted.key || before.status === 'settled')) return '409';
    const isSame = before?.status === 'running' && before.workspace === workspace;
    const left = this.left(workspace);
    if (left !== null && wanted.amount > left + (isSame ? before.amount : 0n)) return '402 workspace';
    this.holds.set(id, { ...wanted, workspace, status: 'running', cost: null });
    return 'ok';
  }

  raise(id: string, attempt: number, amount: bigint): string {
    const hold = this.holds.get(id);
    if (hold === undefined || this.keys.get(hold.key)?.status !== 'active') return '401';
    if (hold.status !== 'running') return '409';
    const [left, delta] = [this.left(hold.workspace), amount - hold.amount];
    if (delta > 0n && left !== null && delta > left) return '402 workspace';
    Object.assign(hold, { attempt, amount });
    return 'ok';
  }

  settle(id: string, cost: bigint): void {
    const hold = this.holds.get(id);
    if (hold === undefined || hold.cost !== null) return;
    Object.assign(hold, { status: 'settled', cost });
    // A workspace that has ended counts nothing any more.
    if (hold.workspace !== this.#common && !this.workspaces.has(hold.workspace)) return;
    this.charges = [...this.charges, { at: this.now, workspace: hold.workspace, cost }];
  }

  /** Ends running holds without a charge. */
  release(isEnded: (hold: WorkspaceHold) => boolean): void {
    for (const hold of this.holds.values()) if (hold.status === 'running' && isEnded(hold)) hold.status = 'released';
  }
}
