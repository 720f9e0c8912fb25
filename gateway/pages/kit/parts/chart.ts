/**
 * What all charts of the pages share: the frame with its title and its legend, and the share of a value in the largest
 * one. A chart is SVG that the server writes. It stretches with the page; its labels are text of the page beside it, so
 * that they are read at any width and by anybody.
 */
import { type Html, type HtmlValue, html } from '../html.ts';

/** An entry of the legend: a colour of a series, or another mark of the style sheet. */
export interface Key {
  readonly name: string;
  readonly mark: string;
}

interface ChartFrame {
  readonly title: string;
  readonly keys: readonly Key[];
  readonly content: HtmlValue;
}

export function chart({ title, keys, content }: ChartFrame): Html {
  const legend = keys.map(({ name, mark }) => html`<li><span class="key ${mark}"></span>${name}</li>`);
  return html`<figure class="chart">
<figcaption>${title}</figcaption>
${content}
<ul class="legend">${legend}</ul>
</figure>`;
}

/** Series of colours, in the order of their names. */
export function seriesKeys(names: readonly string[]): readonly Key[] {
  return names.map((name, at) => ({ name, mark: `series-${at + 1}` }));
}

/** The texts below a chart, spread over its width. */
export function axis(labels: readonly HtmlValue[]): Html {
  return html`<div class="axis">${labels.map((label) => html`<span>${label}</span>`)}</div>`;
}

/** Digits behind the point that a share of exact amounts depends on. */
const EXACT_DIGITS = 24;

/** The rounded share of a measured number in the largest one, in parts of `scale`; at least one part. */
export function shareOf(value: number, largest: number, scale: number): number {
  return largest <= 0 ? 0 : Math.max(1, Math.round((value / largest) * scale));
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
  return BigInt(`${whole}${fraction.slice(0, EXACT_DIGITS).padEnd(EXACT_DIGITS, '0')}`);
}
