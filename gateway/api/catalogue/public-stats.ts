import { dateOf, usageOfAll } from '../../../actors/key/usage.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { windowStart } from '../../../actors/terms/spending.ts';
import { addRows, anonymous, type DayUsage, type ModelUsage } from './day-usage.ts';

const WINDOW_DAYS = 30;
const DAY_MS = 86_400_000;
const REFRESH_MS = 60_000;
/** A day is complete, and read once, when the commits of its last moments have long ended. */
const COMPLETE_AFTER_MS = 600_000;
const TOP_MODELS_MAX = 50;
/** Rows of keys that are read of one day; a day with more is not published. */
const ROWS_PER_DAY_MAX = 200_000;

/** What the board lists now. */
interface ListedCounts {
  readonly models: number;
  readonly endpoints: number;
  readonly providers: number;
}

/**
 * `data` of `GET /stats/public`: requests and tokens of the last 30 UTC days, the running one included, from the
 * usage rows that each charge writes. Figures with fewer than five accounts behind them are left out of every sum. Read
 * at most once a minute by each node, whoever asks. (rule C13)
 */
export class PublicStats {
  readonly #cluster: Pick<Cluster, 'rows' | 'now'>;
  /** Completed days, by when they began. */
  readonly #completed = new Map<number, DayUsage>();
  #read: { readonly at: number; readonly days: Promise<readonly DayUsage[]> } | null = null;

  constructor(cluster: Pick<Cluster, 'rows' | 'now'>) {
    this.#cluster = cluster;
  }

  async show(listed: ListedCounts): Promise<object> {
    const now = this.#cluster.now();
    const isFresh = this.#read !== null && now - this.#read.at < REFRESH_MS;
    const read = isFresh && this.#read ? this.#read : { at: now, days: this.#readDays(now) };
    this.#read = read;
    try {
      return statsObject(await read.days, read.at, listed);
    } catch (error) {
      if (this.#read === read) this.#read = null;
      throw error;
    }
  }

  async #readDays(now: number): Promise<readonly DayUsage[]> {
    const today = windowStart('daily', now);
    const first = today - (WINDOW_DAYS - 1) * DAY_MS;
    for (const day of this.#completed.keys()) if (day < first) this.#completed.delete(day);
    const days: DayUsage[] = [];
    for (let day = first; day <= today; day += DAY_MS) {
      const usage = this.#completed.get(day) ?? (await this.#readDay(day));
      if (now >= day + DAY_MS + COMPLETE_AFTER_MS) this.#completed.set(day, usage);
      days.push(usage);
    }
    return anonymous(days);
  }

  async #readDay(day: number): Promise<DayUsage> {
    const models = new Map<string, ModelUsage>();
    let read = 0;
    for await (const page of usageOfAll(this.#cluster, day)) {
      read += page.length;
      if (read > ROWS_PER_DAY_MAX) return { day, models: new Map() };
      addRows(models, page);
    }
    return { day, models };
  }
}

function statsObject(days: readonly DayUsage[], at: number, listed: ListedCounts): object {
  const byModel = new Map<string, bigint>();
  let [requests, promptTokens, completionTokens] = [0, 0n, 0n];
  const daily = days.map(({ day, models }) => {
    const sum = { requests: 0, tokens: 0n };
    for (const [model, usage] of models) {
      const tokens = usage.promptTokens + usage.completionTokens;
      byModel.set(model, (byModel.get(model) ?? 0n) + tokens);
      promptTokens += usage.promptTokens;
      completionTokens += usage.completionTokens;
      sum.requests += usage.requests;
      sum.tokens += tokens;
    }
    requests += sum.requests;
    return { date: dateOf(day), requests: sum.requests, total_tokens: String(sum.tokens) };
  });
  const ranked = [...byModel].sort(([a, one], [b, other]) => (one === other ? (a < b ? -1 : 1) : one > other ? -1 : 1));
  return {
    as_of: new Date(at).toISOString(),
    window_days: WINDOW_DAYS,
    requests,
    prompt_tokens: String(promptTokens),
    completion_tokens: String(completionTokens),
    ...listed,
    top_models: ranked.slice(0, TOP_MODELS_MAX).map(([model, tokens]) => ({ model, total_tokens: String(tokens) })),
    daily,
  };
}
