/**
 * A reference model of one key in a hundred lines: its life, its limit by window, its rate and what it spent. It keeps
 * every charge and adds them up; the window of a time is a text of the calendar. Answers one word: `ok` or a status.
 */
export type ModelWindow = 'daily' | 'weekly' | 'monthly' | null;

interface ModelKeyHold {
  amount: bigint;
  attempt: number;
  status: 'running' | 'settled' | 'released';
  cost: bigint | null;
}

export interface ModelKeyEdit {
  readonly name?: string;
  readonly limit?: bigint | null;
  readonly limitWindow?: ModelWindow;
  readonly expiresAt?: number | null;
  readonly member?: string | null;
  readonly disabled?: boolean;
}

export class KeyModel {
  name = 'test';
  limit: bigint | null = null;
  window: ModelWindow = null;
  expiresAt: number | null = null;
  status: 'active' | 'disabled' | 'revoked' = 'active';
  workspace: string | null = null;
  member: string | null = null;
  updatedAt: number | null = null;
  ownerSuspended = false;
  /** Changes that took effect, the creation included. */
  changes = 1;
  now: number;
  readonly #perMinute: number;
  readonly #members: ReadonlyMap<string, readonly string[]>;
  readonly holds = new Map<string, ModelKeyHold>();
  readonly charges: { readonly at: number; readonly cost: bigint }[] = [];
  #counted: readonly number[] = [];

  /** `members`: those of each workspace that exists beside the default one. */
  constructor(now: number, perMinute: number, members: ReadonlyMap<string, readonly string[]>) {
    this.now = now;
    this.#perMinute = perMinute;
    this.#members = members;
  }

  get live(): boolean {
    return this.status === 'active' && !this.expired;
  }

  get expired(): boolean {
    return this.expiresAt !== null && this.now >= this.expiresAt;
  }

  get held(): bigint {
    return [...this.holds.values()].reduce((sum, hold) => sum + (hold.status === 'running' ? hold.amount : 0n), 0n);
  }

  spent(window: ModelWindow): bigint {
    const current = windowText(window, this.now);
    return this.charges.reduce((sum, { at, cost }) => (windowText(window, at) === current ? sum + cost : sum), 0n);
  }

  get left(): bigint | null {
    return this.limit === null ? null : this.limit - this.spent(this.window) - this.held;
  }

  count(): string {
    return this.countOne() ?? (this.live && !this.ownerSuspended ? 'ok' : '401');
  }

  /** `accepted`: the workspace in which the job of this request was accepted; absent for a live request. */
  admit(id: string, amount: bigint, { accepted, isJob }: { accepted?: string | null; isJob: boolean }): string {
    const refused = isJob ? null : this.countOne();
    if (refused !== null) return refused;
    if (!this.live || (accepted !== undefined && accepted !== this.workspace)) return '401';
    if (this.ownerSuspended) return '401';
    if (this.left !== null && amount > this.left) return '402 key';
    this.holds.set(id, { amount, attempt: 0, status: 'running', cost: null });
    return 'ok';
  }

  raise(id: string, amount: bigint): string {
    const hold = this.holds.get(id);
    if (!this.live) return '401';
    if (hold?.status !== 'running') return '409';
    if (this.ownerSuspended) return '401';
    const delta = amount - hold.amount;
    if (delta > 0n && this.left !== null && delta > this.left) return '402 key';
    Object.assign(hold, { amount, attempt: hold.attempt + 1 });
    return 'ok';
  }

  /** Returns the recorded charge. */
  settle(id: string, cost: bigint): bigint | '404' {
    const hold = this.holds.get(id);
    if (hold === undefined) return '404';
    if (hold.cost !== null) return hold.cost;
    Object.assign(hold, { status: 'settled', cost });
    this.charges.push({ at: this.now, cost });
    return cost;
  }

  release(id: string): void {
    const hold = this.holds.get(id);
    if (hold?.status === 'running') hold.status = 'released';
  }

  /** False: refused, and nothing has changed. */
  edit({ disabled, limitWindow: window, ...change }: ModelKeyEdit): boolean {
    if (this.status === 'revoked') return true;
    if (!this.mayBelong(this.workspace, change.member ?? null, change.member !== this.member)) return false;
    Object.assign(this, change, window === undefined ? {} : { window });
    if (disabled !== undefined) this.status = disabled ? 'disabled' : 'active';
    this.changed();
    return true;
  }

  relimit(limit: bigint | null, window: ModelWindow): void {
    if (this.status === 'revoked') return;
    Object.assign(this, { limit, window });
    this.changed();
  }

  switch(to: 'active' | 'disabled' | 'revoked'): void {
    if (this.status === 'revoked' || this.status === to) return;
    this.status = to;
    this.changed();
  }

  /** False: refused, and nothing has changed. */
  move(workspace: string | null): boolean {
    if (this.status === 'revoked' || this.workspace === workspace) return true;
    if (!this.mayBelong(workspace, this.member, true)) return false;
    this.workspace = workspace;
    this.changed();
    return true;
  }

  private mayBelong(workspace: string | null, member: string | null, isNew: boolean): boolean {
    if (workspace === null || !isNew) return true;
    const members = this.#members.get(workspace);
    return members !== undefined && (member === null || members.includes(member));
  }

  private countOne(): '429' | null {
    const minute = Math.floor(this.now / 60_000);
    this.#counted = this.#counted.filter((at) => Math.floor(at / 60_000) === minute);
    if (this.#counted.length >= this.#perMinute) return '429';
    this.#counted = [...this.#counted, this.now];
    return null;
  }

  private changed(): void {
    this.updatedAt = this.now;
    this.changes++;
  }
}

/** The UTC day, the Monday of its week or the month, as text; one text for the whole life. */
export function windowText(window: ModelWindow | 'lifetime', at: number): string {
  if (window === null || window === 'lifetime') return 'life';
  const date = new Date(at);
  if (window === 'weekly') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, window === 'monthly' ? 7 : 10);
}

/** When the window that contains `at` ends: the first midnight with another text. */
export function windowEndsAt(window: ModelWindow, at: number): number {
  const date = new Date(at);
  const midnight = (days: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + days);
  let days = 1;
  while (windowText(window, midnight(days)) === windowText(window, at)) days++;
  return midnight(days);
}
