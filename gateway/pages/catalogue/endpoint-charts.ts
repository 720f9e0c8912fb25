/** Prices and speed of a model's endpoints beside each other. */
import type { Endpoint, Percentiles } from '../../../actors/terms/endpoint.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { throughput, timeToFirstToken } from '../../catalogue/measured.ts';
import { type Html, type HtmlValue, html } from '../kit/html.ts';
import { chart, seriesKeys, shareOf, shareOfExact } from '../kit/parts/chart.ts';
import { usdText } from '../kit/parts/format.ts';
import { endpointName, rateText, secondsText } from './figure-text.ts';
import { perMillion, videoRange } from './price-text.ts';

/** What a chart of prices compares. */
interface PriceScale {
  readonly title: string;
  readonly measures: readonly string[];
  /** In the order of the measures, exact; null where undeclared. */
  readonly of: (endpoint: Endpoint) => readonly (string | null)[];
}

const PER_TOKEN: PriceScale = {
  title: 'USD per million tokens',
  measures: ['Input', 'Output'],
  of: ({ tariff }) => [perMillion(tariff.prompt), perMillion(tariff.completion)],
};
const PER_SECOND: PriceScale = {
  title: 'USD per second of video',
  measures: ['Least', 'Most'],
  of: ({ tariff }) => videoRange(tariff) ?? [null, null],
};

export function priceChart(endpoints: readonly Endpoint[]): Html {
  for (const { title, measures, of } of [PER_TOKEN, PER_SECOND]) {
    const prices = endpoints.map(of);
    const known = prices.flat().filter((price) => price !== null);
    if (known.length === 0) continue;
    const highest = known.reduce((most, price) => (compare(price, most) > 0 ? price : most), '0');
    const rows: LevelRow[] = endpoints.map((endpoint, at) => ({
      name: endpointName(endpoint),
      levels: (prices[at] ?? []).map((price) => priceLevel(price, highest)),
    }));
    return levelBars({ title, measures, rows });
  }
  return html`<div class="empty">Neither tokens nor seconds of video are priced. All prices are listed below.</div>`;
}

function priceLevel(price: string | null, highest: string): Level {
  if (price === null) return { share: null, text: 'no declared price' };
  return { share: shareOfExact(price, highest, LEVEL_MAX), text: usdText(price) };
}

const UNMEASURED: Level = { share: null, text: 'too few samples yet' };

export function firstTokenChart(endpoints: readonly Endpoint[]): Html {
  return figureChart(endpoints, {
    title: 'The last 30 minutes',
    measures: ['Half of the requests', 'nine of ten'],
    of: (endpoint) => timeToFirstToken(endpoint, '30m').value,
    text: secondsText,
  });
}

export function throughputChart(endpoints: readonly Endpoint[]): Html {
  return figureChart(endpoints, {
    title: 'Tokens per second, the last 30 minutes',
    measures: ['Reached by half', 'by nine of ten'],
    of: (endpoint) => throughput(endpoint, '30m').value,
    text: rateText,
  });
}

interface FigureChart {
  readonly title: string;
  /** Names of the median and of the ninetieth percentile. */
  readonly measures: readonly [string, string];
  readonly of: (endpoint: Endpoint) => Percentiles | null;
  readonly text: (value: number) => string;
}

function figureChart(endpoints: readonly Endpoint[], { title, measures, of, text }: FigureChart): Html {
  const figuresOf = endpoints.map(of);
  const largest = Math.max(0, ...figuresOf.flatMap((figure) => (figure === null ? [] : [figure.p50, figure.p90])));
  if (largest === 0) return html`<div class="empty">Too few requests in the last 30 minutes.</div>`;
  const rows: LevelRow[] = endpoints.map((endpoint, at) => {
    const figure = figuresOf[at] ?? null;
    const levels =
      figure === null
        ? [UNMEASURED]
        : [figure.p50, figure.p90].map((value) => ({ share: shareOf(value, largest, LEVEL_MAX), text: text(value) }));
    return { name: endpointName(endpoint), levels };
  });
  return levelBars({ title, measures, rows });
}

/** Levels of several things beside each other: for each a bar per measure, its length a share of the longest one. */
interface Level {
  /** Null where nothing is known. */
  readonly share: number | null;
  /** What the bar means: `$0.50`, `320 ms`. */
  readonly text: string;
}

interface LevelRow {
  readonly name: HtmlValue;
  /** In the order of `measures`. */
  readonly levels: readonly Level[];
}

interface LevelParts {
  readonly title: string;
  readonly measures: readonly string[];
  readonly rows: readonly LevelRow[];
}

/** The length of the longest bar; shares are whole numbers up to this. */
const LEVEL_MAX = 1_000;

function levelBars({ title, measures, rows }: LevelParts): Html {
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
