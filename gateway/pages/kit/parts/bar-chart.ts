/**
 * A stacked bar chart: one bar per day, one colour per series. Amounts are exact; a bar's height is its rounded share of
 * the highest one.
 */
import { add, compare } from '../../../../actors/terms/usd.ts';
import { type Html, html } from '../html.ts';
import { axis, chart, seriesKeys, shareOfExact } from './chart.ts';
import { usdText } from './format.ts';

export interface Bar {
  /** Text of the axis, such as a date. */
  readonly label: string;
  /** Exact decimal USD by series; an absent series is zero. */
  readonly parts: ReadonlyMap<string, string>;
}

/** Series that have a colour of their own; the last one stands for all others. */
export const SERIES_MAX = 6;
export const OTHERS = 'Others';

const HEIGHT = 1_000;

interface ChartParts {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** In the order of their colours, at most `SERIES_MAX`. */
  readonly series: readonly string[];
  /** What the legend calls a series; absent: by its id. */
  readonly labelOf?: (series: string) => string;
}

export function barChart({ title, bars, series, labelOf = (id) => id }: ChartParts): Html {
  const totals = bars.map(({ parts }) => [...parts.values()].reduce((sum, part) => add(sum, part), '0'));
  const highest = totals.reduce((most, total) => (compare(total, most) > 0 ? total : most), '0');
  const drawn = bars.map((bar, at) => drawBar({ bar, at, highest, series, total: totals[at] ?? '0' }));
  const content = html`<div class="plot">
<span class="most">${usdText(highest)}</span>
<svg viewBox="0 0 ${bars.length * 10} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}">${drawn}</svg>
</div>
${axis([bars.at(0)?.label, bars[bars.length >> 1]?.label, bars.at(-1)?.label])}`;
  return chart({ title, keys: seriesKeys(series.map(labelOf)), content });
}

interface DrawnBar {
  readonly bar: Bar;
  readonly at: number;
  readonly highest: string;
  readonly series: readonly string[];
  readonly total: string;
}

function drawBar({ bar, at, highest, series, total }: DrawnBar): Html {
  const rects: Html[] = [];
  let top = HEIGHT;
  series.forEach((name, index) => {
    const height = shareOfExact(bar.parts.get(name) ?? '0', highest, HEIGHT);
    top -= height;
    if (height > 0) {
      rects.push(html`<rect class="series-${index + 1}" x="${at * 10 + 1}" y="${top}" width="8" height="${height}"/>`);
    }
  });
  const words = `${bar.label}: ${usdText(total)}`;
  return html`<g><title>${words}</title><rect class="ground" x="${at * 10}" y="0" width="10" height="${HEIGHT}"/>${rects}</g>`;
}

/** The largest series by name, and `OTHERS` where there are more than have a colour. */
export function seriesOf(totals: ReadonlyMap<string, string>): readonly string[] {
  const names = [...totals].sort(([a, x], [b, y]) => compare(y, x) || (a < b ? -1 : 1)).map(([name]) => name);
  return names.length <= SERIES_MAX ? names : [...names.slice(0, SERIES_MAX - 1), OTHERS];
}
