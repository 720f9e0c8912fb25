/**
 * What one account and its keys owe each other, in whole units and a hundred lines: the reference the charts are held
 * against. Answers each command with one word or number: `ok`, a status, or the charged cost.
 */
export interface ModelHold {
  readonly key: string;
  attempt: number;
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
  suspended = false;
  now: number;
  readonly keys = new Map<string, ModelKey>();
  readonly holds = new Map<string, ModelHold>();
  readonly credited = new Set<string>();
  readonly buried = new Map<string, number>();

  constructor(now: number) {
    this.now = now;
  }

  get held(): bigint {
    return [...this.holds.values()].reduce((sum, hold) => sum + (hold.status === 'running' ? hold.amount : 0n), 0n);
  }

  get available(): bigint {
    return this.deposits - this.charges - this.held;
  }

  deposit(id: string, amount: bigint): void {
    if (!this.credited.has(id)) this.deposits += amount;
    this.credited.add(id);
  }

  admit(id: string, wanted: Omit<ModelHold, 'status' | 'cost'>, repeat: boolean): string {
    const key = this.key(wanted.key);
    const known = this.holds.get(id);
    const recorded = known?.status === 'running' && known.attempt === wanted.attempt && known.key === wanted.key;
    if (repeat && known) return recorded ? 'ok' : '409';
    if (repeat && this.buried.has(id)) return '409';
    if (!key.live) return '401';
    if (key.limit !== null && key.spent + key.held + wanted.amount > key.limit) return '402 key';
    if (known) return recorded ? 'ok' : '409';
    if (this.buried.has(id)) return '409';
    if (this.suspended) return '401';
    if (this.available < wanted.amount) return '402 account';
    this.holds.set(id, { ...wanted, status: 'running', cost: null });
    key.held += wanted.amount;
    return 'ok';
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
    Object.assign(hold, { attempt, amount, deadlineAt });
    key.held += delta;
    return 'ok';
  }

  settle(id: string, attempt: number, cost: bigint): bigint | string {
    const hold = this.holds.get(id);
    if (!hold) return '404';
    if (hold.attempt !== attempt) return '409';
    if (hold.status === 'settled') return hold.cost ?? '404';
    this.close(hold, 'settled');
    hold.cost = cost;
    this.charges += cost;
    this.key(hold.key).spent += cost;
    return cost;
  }

  release(id: string, attempt: number, tombstoneMs: number): string {
    const hold = this.holds.get(id);
    if (!hold) {
      if (!this.buried.has(id)) this.buried.set(id, this.now + tombstoneMs);
      return 'released';
    }
    if (hold.status !== 'running') return hold.status;
    if (attempt < hold.attempt) return '409';
    this.close(hold, 'released');
    return 'released';
  }

  lose(gateway: string): void {
    for (const hold of this.holds.values()) if (hold.gateway === gateway) this.close(hold, 'released');
  }

  advance(ms: number): void {
    this.now += ms;
    for (const hold of this.holds.values()) if (hold.deadlineAt <= this.now) this.close(hold, 'released');
    for (const [id, forgetAt] of this.buried) if (forgetAt <= this.now) this.buried.delete(id);
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
