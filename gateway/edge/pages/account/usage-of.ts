import type { Cluster } from '../../../../actors/runtime/index.ts';
import { add } from '../../../../actors/terms/usd.ts';
import { type ActivitySum, readActivity } from '../../api/money/activity.ts';
import { type Html, html } from '../html.ts';
import { type Bar, barChart, OTHERS, seriesOf } from '../parts/bar-chart.ts';

const DAY_MS = 86_400_000;

/** What an account spent on each of the last days, today included. */
export interface UsageOfDays {
  /** Store times at which the UTC days began, oldest first. */
  readonly days: readonly number[];
  readonly rows: readonly ActivitySum[];
  /** Exact decimal USD, in all and by model. */
  readonly total: string;
  readonly byModel: ReadonlyMap<string, string>;
  readonly requests: number;
}

export async function readUsage(
  cluster: Pick<Cluster, 'rows' | 'now'>,
  account: string,
  count: number,
): Promise<UsageOfDays> {
  const today = Math.floor(cluster.now() / DAY_MS);
  const newestFirst = Array.from({ length: count }, (_, past) => (today - past) * DAY_MS);
  const rows = await readActivity(cluster, account, { days: newestFirst });
  const byModel = new Map<string, string>();
  let [total, requests] = ['0', 0];
  for (const row of rows) {
    byModel.set(row.model, add(byModel.get(row.model) ?? '0', row.usage));
    total = add(total, row.usage);
    requests += row.requests;
  }
  return { days: newestFirst.reverse(), rows, total, byModel, requests };
}

export function usageChart({ days, rows, byModel }: UsageOfDays): Html {
  if (rows.length === 0) {
    return html`<div class="empty">Nothing was charged in this time. <a href="/account/keys">Create a key</a> and send a request.</div>`;
  }
  const series = seriesOf(byModel);
  const bars: Bar[] = days.map((day) => ({ label: dateOf(day), parts: new Map<string, string>() }));
  const barOf = new Map(days.map((day, at) => [day, bars[at]]));
  for (const { day, model, usage } of rows) {
    const parts = barOf.get(day)?.parts as Map<string, string>;
    const name = series.includes(model) ? model : OTHERS;
    parts.set(name, add(parts.get(name) ?? '0', usage));
  }
  return barChart({ title: `USD per UTC day, the last ${days.length} days`, bars, series });
}

export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
