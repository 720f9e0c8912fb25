import { add } from '../../../actors/terms/usd.ts';
import { type ActivitySum, readActivity } from '../../management/activity.ts';
import type { ManagementServices } from '../../management/services.ts';
import { type Html, html } from '../kit/html.ts';
import { type Bar, barChart, OTHERS, seriesOf } from '../kit/parts/bar-chart.ts';

const DAY_MS = 86_400_000;

/** What an account spent on each of the last days, today included. */
interface UsageOfDays {
  /** Store times at which the UTC days began, oldest first. */
  readonly days: readonly number[];
  /** By day, model, endpoint and key; newest day first. */
  readonly rows: readonly ActivitySum[];
  /** Exact decimal USD. */
  readonly total: string;
  readonly requests: number;
}

export async function readUsage(
  services: Pick<ManagementServices, 'cluster'>,
  account: string,
  count: number,
): Promise<UsageOfDays> {
  const days = lastDays(services.cluster.now(), count);
  const rows = await readActivity(services, account, { days, isByKey: true });
  let [total, requests] = ['0', 0];
  for (const row of rows) {
    total = add(total, row.usage);
    requests += row.requests;
  }
  return { days: [...days].reverse(), rows, total, requests };
}

/** Store times at which the last UTC days began, the running one first. */
export function lastDays(now: number, count: number): readonly number[] {
  const today = Math.floor(now / DAY_MS);
  return Array.from({ length: count }, (_, past) => (today - past) * DAY_MS);
}

/** A stacked bar for each day. `idOf` tells the series of a row, `labelOf` what a large one is called. */
export function usageChart(
  { days, rows }: UsageOfDays,
  idOf: (row: ActivitySum) => string,
  labelOf: (id: string) => string = (id) => id,
): Html {
  if (rows.length === 0) {
    return html`<div class="empty">Nothing was charged in this time. <a href="/account/keys">Create a key</a> and send a request.</div>`;
  }
  const totals = new Map<string, string>();
  for (const row of rows) totals.set(idOf(row), add(totals.get(idOf(row)) ?? '0', row.usage));
  const series = seriesOf(totals);
  const bars: Bar[] = days.map((day) => ({ label: dateOf(day), parts: new Map<string, string>() }));
  const barOf = new Map(days.map((day, at) => [day, bars[at]]));
  for (const row of rows) {
    const parts = barOf.get(row.day)?.parts as Map<string, string>;
    const id = series.includes(idOf(row)) ? idOf(row) : OTHERS;
    parts.set(id, add(parts.get(id) ?? '0', row.usage));
  }
  return barChart({ title: `USD per UTC day, the last ${days.length} days`, bars, series, labelOf });
}

export function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
