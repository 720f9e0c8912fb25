/**
 * A stacked bar chart as SVG, written on the server: one bar per day, one colour per series. The bars stretch with the
 * page; every label is text of the page, so that it is read at any width. Amounts are exact; a bar's height is its
 * rounded share of the highest one.
 */
import { add, compare } from '../../../../actors/terms/usd.ts';
import { type Html, html } from '../html.ts';
import { usdText } from './text.ts';

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
const SCALE = 24;

export interface ChartParts {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** In the order of their colours, at most `SERIES_MAX`. */
  readonly series: readonly string[];
}

export function barChart({ title, bars, series }: ChartParts): Html {
  const totals = bars.map(({ parts }) => [...parts.values()].reduce((sum, part) => add(sum, part), '0'));
  const highest = totals.reduce((most, total) => (compare(total, most) > 0 ? total : most), '0');
  const drawn = bars.map((bar, at) => drawBar({ bar, at, highest, series, total: totals[at] ?? '0' }));
  const edge = (bar: Bar | undefined) => html`<span>${bar?.label}</span>`;
  return html`<figure class="chart">
<figcaption>${title}</figcaption>
<div class="plot">
<span class="most">${usdText(highest)}</span>
<svg viewBox="0 0 ${bars.length * 10} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}">${drawn}</svg>
</div>
<div class="axis">${edge(bars.at(0))}${edge(bars[bars.length >> 1])}${edge(bars.at(-1))}</div>
<ul class="legend">${series.map((name, at) => html`<li><span class="key series-${at + 1}"></span>${name}</li>`)}</ul>
</figure>`;
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
    const height = heightOf(bar.parts.get(name) ?? '0', highest);
    top -= height;
    if (height > 0) {
      rects.push(html`<rect class="series-${index + 1}" x="${at * 10 + 1}" y="${top}" width="8" height="${height}"/>`);
    }
  });
  const words = `${bar.label}: ${usdText(total)}`;
  return html`<g><title>${words}</title><rect class="ground" x="${at * 10}" y="0" width="10" height="${HEIGHT}"/>${rects}</g>`;
}

/** The rounded share of the highest amount, in thousandths; at least one for an amount above zero. */
function heightOf(amount: string, highest: string): number {
  return shareOfExact(amount, highest, HEIGHT);
}

/** `amount / whole` in parts of `scale`, cut; at least one part for an amount above zero. Both are exact decimals. */
export function shareOfExact(amount: string, whole: string, scale: number): number {
  const [part, all] = [units(amount), units(whole)];
  if (all === 0n || part <= 0n) return 0;
  return Math.max(1, Number((part * BigInt(scale)) / all));
}

/** An exact decimal as a whole number of its smallest digits. */
function units(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(`${whole}${fraction.slice(0, SCALE).padEnd(SCALE, '0')}`);
}

/** The largest series by name, and `OTHERS` where there are more than have a colour. */
export function seriesOf(totals: ReadonlyMap<string, string>): readonly string[] {
  const names = [...totals].sort(([a, x], [b, y]) => compare(y, x) || (a < b ? -1 : 1)).map(([name]) => name);
  return names.length <= SERIES_MAX ? names : [...names.slice(0, SERIES_MAX - 1), OTHERS];
}
