/**
 * The course of several things over one time, one below the other on a common scale: a line of the typical value, the
 * band up to the slow one, and a strip of cells that tells how much of it went well. Times without a value stay empty.
 */
import { type Html, type HtmlValue, html } from '../html.ts';
import { axis, chart, type Key } from './chart.ts';

export interface Span {
  /** Where it begins; it lasts `stepMs`. */
  readonly start: number;
  readonly typical: number;
  readonly slow: number;
}

export interface StripCell {
  readonly tone: 'good' | 'warn' | 'bad' | 'none';
  /** What happened in it: shown at the pointer. */
  readonly text: string;
}

export interface TimeLine {
  readonly name: HtmlValue;
  /** Oldest first. */
  readonly spans: readonly Span[];
  /** Of equal length, over the whole time. */
  readonly cells: readonly StripCell[];
  /** Beside the line: its newest value. */
  readonly newest: HtmlValue;
  /** What the line shows, for those who hear the page. */
  readonly words: string;
}

interface TimeLineParts {
  readonly title: string;
  readonly keys: readonly Key[];
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  /** The value at the upper edge, and its text. */
  readonly top: number;
  readonly topText: string;
  /** From the left edge to the right one. */
  readonly times: readonly HtmlValue[];
  readonly lines: readonly TimeLine[];
}

const WIDTH = 1_000;
const HEIGHT = 100;

export function timeLines(parts: TimeLineParts): Html {
  const { title, keys, topText, times, lines } = parts;
  const rows = lines.map(
    (line, at) => html`<li><span class="name">${line.name}</span><div class="course">
<div class="track">${at === 0 && html`<span class="most" aria-hidden="true">${topText}</span>`}${drawn(line, parts)}</div>
${strip(line.cells)}</div><span class="newest">${line.newest}</span></li>`,
  );
  const content = html`<ul class="rows courses">${rows}<li class="times" aria-hidden="true"><span></span>${axis(times)}<span></span></li></ul>`;
  return chart({ title, keys, content });
}

function drawn({ spans, words }: TimeLine, scale: TimeLineParts): Html {
  const runs = runsOf(spans, scale.stepMs);
  const line = runs.map((run) => outline(run, scale, ({ typical }) => typical)).join('');
  const band = runs.map((run) => area(run, scale)).join('');
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}"><path class="band" d="${band}"/><path class="line" d="${line}"/></svg>`;
}

/** Spans that follow each other without a gap. */
function runsOf(spans: readonly Span[], stepMs: number): readonly (readonly Span[])[] {
  const runs: Span[][] = [];
  for (const span of spans) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1)?.start === span.start - stepMs) run.push(span);
    else runs.push([span]);
  }
  return runs;
}

/** A step per span: its value holds for the whole of it. */
function outline(run: readonly Span[], scale: TimeLineParts, figureOf: (span: Span) => number): string {
  return `M${steps(run, scale, figureOf).join('L')}`;
}

function area(run: readonly Span[], scale: TimeLineParts): string {
  const below = steps(run, scale, ({ typical }) => typical).reverse();
  return `M${[...steps(run, scale, ({ slow }) => slow), ...below].join('L')}Z`;
}

function steps(run: readonly Span[], scale: TimeLineParts, figureOf: (span: Span) => number): string[] {
  return run.flatMap((span) => {
    const y = heightOf(figureOf(span), scale.top);
    return [`${acrossOf(span.start, scale)} ${y}`, `${acrossOf(span.start + scale.stepMs, scale)} ${y}`];
  });
}

function acrossOf(at: number, { from, to }: TimeLineParts): number {
  const inside = Math.min(to, Math.max(from, at));
  return Math.round(((inside - from) / (to - from)) * WIDTH * 10) / 10;
}

function heightOf(value: number, top: number): number {
  const share = top <= 0 ? 0 : Math.min(1, value / top);
  return Math.round((1 - share) * HEIGHT * 10) / 10;
}

function strip(cells: readonly StripCell[]): Html {
  const rects = cells.map(
    ({ tone, text }, at) =>
      html`<rect class="cell ${tone}" x="${at * 10}" width="9" height="10"><title>${text}</title></rect>`,
  );
  return html`<svg class="strip" viewBox="0 0 ${cells.length * 10} 10" preserveAspectRatio="none" aria-hidden="true">${rects}</svg>`;
}
