/** One UTC day of the cluster's activity: per model the sums, and whether enough accounts stand behind them. */
import type { KeyUsage } from '../../../actors/key/usage.ts';

/** A figure is published only if this many accounts stand behind it. (rule C13) */
const ACCOUNTS_MIN = 5;

export interface ModelUsage {
  requests: number;
  promptTokens: bigint;
  completionTokens: bigint;
  /** The first five accounts: with fewer, the set is complete, so that a union over days decides exactly. */
  readonly accounts: Set<string>;
}

export interface DayUsage {
  /** Store time at which the UTC day began, ms. */
  readonly day: number;
  readonly models: ReadonlyMap<string, ModelUsage>;
}

/** Adds rows of keys to the usage of their day. */
export function addRows(models: Map<string, ModelUsage>, rows: readonly KeyUsage[]): void {
  for (const { model, account, requests, promptTokens, completionTokens } of rows) {
    let usage = models.get(model);
    if (usage === undefined) {
      usage = { requests: 0, promptTokens: 0n, completionTokens: 0n, accounts: new Set() };
      models.set(model, usage);
    }
    usage.requests += requests;
    usage.promptTokens += BigInt(promptTokens);
    usage.completionTokens += BigInt(completionTokens);
    if (usage.accounts.size < ACCOUNTS_MIN) usage.accounts.add(account);
  }
}

/**
 * The part of the usage that may be published: each day and each model in it has at least five accounts within that
 * part. Days and models with fewer are dropped until none is left, so that no difference of published sums names a group
 * of fewer accounts.
 */
export function anonymous(days: readonly DayUsage[]): readonly DayUsage[] {
  let kept = days;
  for (;;) {
    const byModel = new Map<string, Set<string>>();
    for (const { models } of kept) {
      for (const [model, { accounts }] of models) addAll(byModel, model, accounts);
    }
    const isCrowd = (accounts: Iterable<string>): boolean => new Set(accounts).size >= ACCOUNTS_MIN;
    const next = kept.flatMap(({ day, models }) => {
      const crowded = [...models].filter(([model]) => isCrowd(byModel.get(model) ?? []));
      const accounts = crowded.flatMap(([, usage]) => [...usage.accounts]);
      return isCrowd(accounts) ? [{ day, models: new Map(crowded) }] : [];
    });
    if (sizeOf(next) === sizeOf(kept)) return kept;
    kept = next;
  }
}

function addAll(sets: Map<string, Set<string>>, name: string, values: ReadonlySet<string>): void {
  const set = sets.get(name) ?? new Set();
  for (const value of values) set.add(value);
  sets.set(name, set);
}

function sizeOf(days: readonly DayUsage[]): number {
  return days.reduce((sum, { models }) => sum + models.size, days.length);
}
