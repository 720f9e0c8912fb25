/** The course of an endpoint's time to first token and of its successes, from the rows of its half hours. */
import type { HalfHour } from '../../../actors/endpoint/history.ts';
import type { Endpoint, Percentiles } from '../../../actors/terms/endpoint.ts';
import { type Html, html } from '../kit/html.ts';
import { table } from '../kit/parts/elements.ts';
import { countText } from '../kit/parts/format.ts';
import { time } from '../kit/parts/text.ts';
import { type Span, type StripCell, type TimeLine, timeLines } from '../kit/parts/time-lines.ts';
import { endpointName, secondsText } from './figure-text.ts';

const HALF_HOUR_MS = 30 * 60_000;
const HOUR_MS = 60 * 60_000;
/** Endpoints that are drawn below each other; a page reads the rows of no more. */
export const DRAWN_MAX = 12;
/** Percent of the attempts, as in an endpoint's health. */
const HEALTHY_PERCENT = 90;
const DEGRADED_PERCENT = 60;

/** A span of time that a visitor chooses. `cellMs` divides it. */
export interface Reach {
  readonly days: number;
  readonly text: string;
  readonly cellMs: number;
}

/** The first one is shown unasked. */
export const REACHES = [
  { days: 1, text: '24 hours', cellMs: HALF_HOUR_MS },
  { days: 7, text: '7 days', cellMs: 4 * HOUR_MS },
] as const satisfies readonly Reach[];

export interface HistoryParts {
  /** At most `DRAWN_MAX`. */
  readonly endpoints: readonly Endpoint[];
  /** By endpoint id; null while they cannot be read. */
  readonly histories: ReadonlyMap<string, readonly HalfHour[]> | null;
  /** Store time, ms. */
  readonly now: number;
  readonly reach: Reach;
}

/** One endpoint in the chosen time. */
interface Course {
  readonly endpoint: Endpoint;
  readonly halfHours: readonly HalfHour[];
  readonly spans: readonly Span[];
}

export function historyCharts({ endpoints, histories, now, reach }: HistoryParts): Html {
  if (histories === null) {
    return html`<div class="empty">The history cannot be read at the moment. Load the page again shortly.</div>`;
  }
  const to = Math.floor(now / HALF_HOUR_MS) * HALF_HOUR_MS + HALF_HOUR_MS;
  const from = to - reach.days * 24 * HOUR_MS;
  const inTime = endpoints.map((endpoint) => ({
    endpoint,
    halfHours: (histories.get(endpoint.id) ?? []).filter(({ start }) => start >= from && start < to),
  }));
  if (inTime.every(({ halfHours }) => halfHours.length === 0)) {
    return html`<div class="empty">No request in the last ${reach.text}. Send one, and its time to first token is drawn here.</div>`;
  }
  const streams = inTime.some(({ halfHours }) => halfHours.some(({ ttft }) => ttft !== null));
  const figureOf = ({ ttft, response }: HalfHour): Percentiles | null => (streams ? ttft : response);
  const courses = inTime.map((one) => ({ ...one, spans: spansOf(one.halfHours, figureOf) }));
  const top = roundedUp(Math.max(0, ...courses.flatMap(({ spans }) => spans.map(({ slow }) => slow))));
  const chart = timeLines({
    title: `${streams ? 'Seconds to the first token' : 'Seconds of the whole request'}, and the share of requests that succeeded, by half hour (UTC)`,
    keys: [
      { name: 'Half of the requests', mark: 'line' },
      { name: 'nine of ten', mark: 'band' },
      { name: `${HEALTHY_PERCENT} % and more succeeded`, mark: 'cell good' },
      { name: `${DEGRADED_PERCENT} % and more`, mark: 'cell warn' },
      { name: 'fewer', mark: 'cell bad' },
    ],
    from,
    to,
    top,
    stepMs: HALF_HOUR_MS,
    topText: top === 0 ? '' : secondsText(top),
    times: [dateAndTime(from), dateAndTime(from + (to - from) / 2), 'now'],
    lines: courses.map((course) => lineOf(course, { from, to, cellMs: reach.cellMs })),
  });
  return html`${chart}
<details><summary>As a table</summary>${courseTable(courses)}</details>`;
}

function spansOf(
  halfHours: readonly HalfHour[],
  figureOf: (halfHour: HalfHour) => Percentiles | null,
): readonly Span[] {
  return halfHours.flatMap((halfHour) => {
    const figure = figureOf(halfHour);
    return figure === null ? [] : [{ start: halfHour.start, typical: figure.p50, slow: figure.p90 }];
  });
}

function lineOf(
  { endpoint, halfHours, spans }: Course,
  { from, to, cellMs }: { readonly from: number; readonly to: number; readonly cellMs: number },
): TimeLine {
  const cells: StripCell[] = [];
  for (let start = from; start < to; start += cellMs) {
    cells.push(
      cellOf(
        start,
        halfHours.filter((one) => one.start >= start && one.start < start + cellMs),
      ),
    );
  }
  const newest = spans.at(-1);
  const { success, all } = countsOf(halfHours);
  const said =
    newest === undefined
      ? 'too few samples'
      : `${secondsText(newest.typical)}, nine of ten ${secondsText(newest.slow)}`;
  return {
    name: endpointName(endpoint),
    spans,
    cells,
    newest:
      newest === undefined
        ? html`<span class="muted">too few samples</span>`
        : html`<b>${secondsText(newest.typical)}</b> <span class="hint">${secondsText(newest.slow)}</span>`,
    words: `${endpoint.provider.name}: newest ${said}; ${countText(success)} of ${countText(all)} requests succeeded`,
  };
}

function cellOf(start: number, halfHours: readonly HalfHour[]): StripCell {
  const { success, all } = countsOf(halfHours);
  if (all === 0) return { tone: 'none', text: `${dateAndTime(start)}: no requests` };
  const percent = (100 * success) / all;
  const tone = percent >= HEALTHY_PERCENT ? 'good' : percent >= DEGRADED_PERCENT ? 'warn' : 'bad';
  return { tone, text: `${dateAndTime(start)}: ${countText(success)} of ${countText(all)} requests succeeded` };
}

function countsOf(halfHours: readonly HalfHour[]): { readonly success: number; readonly all: number } {
  const success = halfHours.reduce((sum, one) => sum + one.success, 0);
  return { success, all: halfHours.reduce((sum, one) => sum + one.error, success) };
}

function courseTable(courses: readonly Course[]): Html {
  return table({
    caption: 'The same figures by endpoint',
    columns: [
      'Provider',
      { number: 'Requests' },
      { number: 'Failed' },
      { number: 'Newest' },
      { number: 'Nine of ten' },
      { number: 'Fastest half hour' },
      { number: 'Slowest half hour' },
      'Measured last',
    ],
    rows: courses.map(({ endpoint, halfHours, spans }) => {
      const { success, all } = countsOf(halfHours);
      const newest = spans.at(-1);
      const typical = spans.map((span) => span.typical);
      return [
        endpointName(endpoint),
        countText(all),
        countText(all - success),
        secondsText(newest?.typical),
        secondsText(newest?.slow),
        secondsText(spans.length === 0 ? undefined : Math.min(...typical)),
        secondsText(spans.length === 0 ? undefined : Math.max(...typical)),
        time(newest?.start ?? null),
      ];
    }),
    empty: '',
  });
}

/** The next figure with one digit, or with a half. */
function roundedUp(value: number): number {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** `23 Nov 07:30`, UTC. */
function dateAndTime(at: number): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.toISOString().slice(11, 16)}`;
}
