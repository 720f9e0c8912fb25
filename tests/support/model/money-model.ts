/**
 * A reference model of one account and its keys, in whole units and a hundred lines, to compare with the charts.
 * Answers each command with one word or number: `ok`, a status, or the charged cost.
 */
export interface ModelHold {
  readonly key: string;
  /** The attempt of the current or last hold, and the highest attempt that held or was released. */
  attempt: number;
  newest: number;
  amount: bigint;
  gateway: string;
  deadlineAt: number;
  status: 'running' | 'settled' | 'released';
  cost: bigint | null;
}

export interface ModelKey {
  readonly limit: bigint | null;
  spent: bigint;
  held: bigint;
  live: boolean;
}

export class MoneyModel {
  deposits = 0n;
  charges = 0n;
  adjustments = 0n;
  /** Threshold of the notice of a low balance, and the balance at each notice so far. */
  lowBalance: bigint | null = null;
  readonly notices: bigint[] = [];
  suspended = false;
  now: number;
  readonly keys = new Map<string, ModelKey>();
  readonly holds = new Map<string, ModelHold>();
  readonly credited = new Set<string>();
  readonly tombstones = new Map<string, { readonly attempt: number; readonly forgetAt: number }>();

  constructor(now: number) {
    this.now = now;
  }

  get held(): bigint {
    return [...this.holds.values()].reduce((sum, hold) => sum + (hold.status === 'running' ? hold.amount : 0n), 0n);
  }

  get balance(): bigint {
    return this.deposits - this.charges + this.adjustments;
  }

  get available(): bigint {
    return this.balance - this.held;
  }

  deposit(id: string, amount: bigint): void {
    if (!this.credited.has(id)) this.deposits += amount;
    this.credited.add(id);
  }

  /** `amount` may be negative. */
  adjust(id: string, amount: bigint): void {
    if (this.credited.has(id)) return;
    this.credited.add(id);
    this.noticed(() => (this.adjustments += amount));
  }

  notice(lowBalance: bigint | null): void {
    this.lowBalance = lowBalance;
    if (lowBalance !== null && this.balance < lowBalance) this.notices.push(this.balance);
  }

  /** A change that takes the balance below the threshold is noticed, once until it was there again. */
  private noticed(change: () => void): void {
    const wasLow = this.lowBalance === null || this.balance < this.lowBalance;
    change();
    if (!wasLow && this.lowBalance !== null && this.balance < this.lowBalance) this.notices.push(this.balance);
  }

  admit(id: string, wanted: Omit<ModelHold, 'status' | 'cost' | 'newest'>, repeat: boolean): string {
    const key = this.key(wanted.key);
    const known = this.recorded(id, wanted);
    if (repeat && known) return known;
    if (!key.live) return '401';
    if (known) return known;
    if (this.suspended) return '401';
    const hold = this.holds.get(id);
    const takenOver = hold?.status === 'running' ? hold.amount : 0n;
    if (key.limit !== null && key.spent + key.held - takenOver + wanted.amount > key.limit) return '402 key';
    if (this.available + takenOver < wanted.amount) return '402 account';
    this.holds.set(id, { ...wanted, newest: wanted.attempt, status: 'running', cost: null });
    key.held += wanted.amount - takenOver;
    return 'ok';
  }

  /** The recorded outcome of an attempt: held by it, or closed to it; null if still open. */
  private recorded(id: string, { attempt, key }: Pick<ModelHold, 'attempt' | 'key'>): 'ok' | '409' | null {
    const hold = this.holds.get(id);
    if (!hold) return attempt <= (this.tombstones.get(id)?.attempt ?? 0) ? '409' : null;
    if (hold.key !== key || hold.status === 'settled') return '409';
    if (hold.status === 'running' && hold.attempt === attempt) return 'ok';
    return attempt <= hold.newest ? '409' : null;
  }

  raise(id: string, keyName: string, attempt: number, amount: bigint, deadlineAt: number): string {
    const key = this.key(keyName);
    const hold = this.holds.get(id);
    if (!key.live) return '401';
    if (hold?.status !== 'running' || hold.key !== keyName) return '409';
    if (hold.attempt === attempt) return 'ok';
    if (this.suspended) return '401';
    if (hold.attempt > attempt) return '409';
    const delta = amount - hold.amount;
    if (delta > 0n && key.limit !== null && key.spent + key.held + delta > key.limit) return '402 key';
    if (delta > 0n && delta > this.available) return '402 account';
    Object.assign(hold, { attempt, newest: attempt, amount, deadlineAt });
    key.held += delta;
    return 'ok';
  }

  settle(id: string, attempt: number, cost: bigint): bigint | string {
    const hold = this.holds.get(id);
    if (!hold) return '404';
    if (hold.attempt !== attempt) return '409';
    if (hold.status === 'settled') return hold.cost ?? '404';
    if (hold.newest > attempt) return '409';
    this.close(hold, 'settled');
    hold.cost = cost;
    this.noticed(() => (this.charges += cost));
    this.key(hold.key).spent += cost;
    return cost;
  }

  release(id: string, attempt: number, tombstoneMs: number): string {
    const hold = this.holds.get(id);
    if (!hold) {
      const before = this.tombstones.get(id)?.attempt ?? -1;
      if (attempt > before) this.tombstones.set(id, { attempt, forgetAt: this.now + tombstoneMs });
      return 'released';
    }
    if (hold.status === 'running' && attempt < hold.attempt) return '409';
    if (hold.status !== 'settled') hold.newest = Math.max(hold.newest, attempt);
    this.close(hold, 'released');
    return hold.status;
  }

  lose(gateway: string): void {
    for (const hold of this.holds.values()) if (hold.gateway === gateway) this.close(hold, 'released');
  }

  advance(ms: number): void {
    this.now += ms;
    for (const hold of this.holds.values()) if (hold.deadlineAt <= this.now) this.close(hold, 'released');
    for (const [id, { forgetAt }] of this.tombstones) if (forgetAt <= this.now) this.tombstones.delete(id);
  }

  private close(hold: ModelHold, status: 'settled' | 'released'): void {
    if (hold.status === 'running') this.key(hold.key).held -= hold.amount;
    if (hold.status === 'running' || status === 'settled') hold.status = status;
  }

  private key(name: string): ModelKey {
    const key = this.keys.get(name);
    if (!key) throw new Error(`no key ${name}`);
    return key;
  }
}
