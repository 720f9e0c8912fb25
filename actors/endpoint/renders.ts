/**
 * The newest renders of one image each, and the line through them: a fixed time, and a time per megapixel. At most 200
 * renders, of the last seven days. Pure. (rule C34)
 */
import type { RenderSeconds } from '../terms/endpoint.ts';

const RENDERS_MAX = 200;
const RENDERS_MS = 7 * 24 * 60 * 60_000;
const SAMPLES_MIN = 5;
const SIZES_MIN = 2;
const PIXELS_PER_MEGAPIXEL = 1_000_000;

export interface Render {
  /** Store time, ms. */
  readonly at: number;
  readonly pixels: number;
  /** From the request to the whole answer. */
  readonly ms: number;
}

interface RenderFigures {
  /** Null below 5 renders or 2 sizes. */
  readonly timing: RenderSeconds | null;
  readonly samples: number;
  readonly sizes: number;
}

/** The renders with the newer ones, by time. */
export function withRenders(renders: readonly Render[], newer: readonly Render[]): readonly Render[] {
  if (newer.length === 0) return renders;
  const merged = [...renders, ...newer].sort((a, b) => a.at - b.at);
  return rendersOf(merged, (merged.at(-1) as Render).at).slice(-RENDERS_MAX);
}

export function renderFigures(renders: readonly Render[], at: number): RenderFigures {
  const live = rendersOf(renders, at);
  const sizes = new Set(live.map(({ pixels }) => pixels)).size;
  const timing = live.length < SAMPLES_MIN || sizes < SIZES_MIN ? null : lineThrough(live);
  return { timing, samples: live.length, sizes };
}

function rendersOf(renders: readonly Render[], at: number): readonly Render[] {
  return renders.filter((render) => render.at > at - RENDERS_MS);
}

/** The line of least squares whose two parts are not negative: a render takes no negative time. */
function lineThrough(renders: readonly Render[]): RenderSeconds {
  const points = renders.map(({ pixels, ms }) => ({ x: pixels / PIXELS_PER_MEGAPIXEL, y: ms / 1_000 }));
  const sum = (part: (point: { x: number; y: number }) => number): number =>
    points.reduce((total, point) => total + part(point), 0);
  const x = sum((point) => point.x) / points.length;
  const y = sum((point) => point.y) / points.length;
  const slope = sum((point) => (point.x - x) * (point.y - y)) / sum((point) => (point.x - x) ** 2);
  if (slope < 0) return rounded(y, 0);
  const fixed = y - slope * x;
  return fixed < 0
    ? rounded(0, sum((point) => point.x * point.y) / sum((point) => point.x ** 2))
    : rounded(fixed, slope);
}

function rounded(fixedSeconds: number, secondsPerMegapixel: number): RenderSeconds {
  return { fixedSeconds: +fixedSeconds.toFixed(3), secondsPerMegapixel: +secondsPerMegapixel.toFixed(3) };
}
