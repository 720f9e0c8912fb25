/** Levels of several things beside each other: for each a bar per measure, its length a share of the longest one. */
import { type Html, type HtmlValue, html } from '../html.ts';
import { chart, seriesKeys } from './chart.ts';

export interface Level {
  /** Null where nothing is known. */
  readonly share: number | null;
  /** What the bar means: `$0.50`, `320 ms`. */
  readonly text: string;
}

export interface LevelRow {
  readonly name: HtmlValue;
  /** In the order of `measures`. */
  readonly levels: readonly Level[];
}

export interface LevelParts {
  readonly title: string;
  readonly measures: readonly string[];
  readonly rows: readonly LevelRow[];
}

/** The length of the longest bar; shares are whole numbers up to this. */
export const LEVEL_MAX = 1_000;

export function levelBars({ title, measures, rows }: LevelParts): Html {
  const lines = rows.map(
    ({ name, levels }) =>
      html`<li><span class="name">${name}</span><div class="bars">${levels.map((level, at) => bar(level, at))}</div></li>`,
  );
  return chart({ title, keys: seriesKeys(measures), content: html`<ul class="rows levels">${lines}</ul>` });
}

function bar({ share, text }: Level, at: number): Html {
  if (share === null) return html`<span class="level none">${text}</span>`;
  return html`<span class="level"><svg viewBox="0 0 ${LEVEL_MAX} 10" preserveAspectRatio="none" aria-hidden="true"><rect class="series-${at + 1}" width="${share}" height="10"/></svg><span>${text}</span></span>`;
}
