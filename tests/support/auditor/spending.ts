import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { amount, text } from './amount.ts';
import type { Sample } from './evidence.ts';

const DAY_MS = 86_400_000;

interface Spent {
  total: bigint;
  readonly byDay: Map<number, bigint>;
}

/** What keys have spent, by their ledger lines, each of which is added once. */
export class Spending {
  readonly #keys = new Map<string, Spent>();
  readonly #fresh = new Set<string>();

  add({ type, key, amount: charge, at }: LedgerEntry): void {
    if (type !== 'charge' || key === null) return;
    const spent = this.#keys.get(key) ?? { total: 0n, byDay: new Map<number, bigint>() };
    const day = Math.floor(at / DAY_MS);
    spent.total += amount(charge);
    spent.byDay.set(day, (spent.byDay.get(day) ?? 0n) + amount(charge));
    this.#keys.set(key, spent);
    this.#fresh.add(key);
  }

  /** The keys that hold money or have spent some since the last sample. */
  sample(open: readonly Generation[], at: number): NonNullable<Sample['keys']> {
    const held = new Map<string, bigint>();
    for (const { key, amount: each } of open) held.set(key, (held.get(key) ?? 0n) + amount(each));
    const keys = new Set([...held.keys(), ...this.#fresh]);
    this.#fresh.clear();
    return [...keys].map((key) => {
      const spent = this.#keys.get(key);
      return {
        ...{ key, held: text(held.get(key) ?? 0n), spent: text(spent?.total ?? 0n) },
        spentToday: text(spent?.byDay.get(Math.floor(at / DAY_MS)) ?? 0n),
      };
    });
  }
}
