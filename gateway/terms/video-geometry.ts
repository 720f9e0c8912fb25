/**
 * Sizes in pixels and their other form, a resolution with an aspect ratio. A resolution names the shorter edge; the
 * longer one is rounded to an even number of pixels. `1K` names no size: providers disagree about it. (rule V19)
 */
import type { FrameSize } from '../../actors/video-job/render-ask.ts';
import { ASPECT_RATIOS } from './video-request.ts';

const SHORTER_EDGES: Readonly<Record<string, number>> = {
  '480p': 480,
  '720p': 720,
  '768p': 768,
  '1080p': 1_080,
  '2K': 1_440,
  '4K': 2_160,
};

const SIZE = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/;
const SIZE_CHARACTERS_MAX = 11;

/** Parses `WIDTHxHEIGHT`; null for any other text. */
export function parseSize(text: string): FrameSize | null {
  const [, width, height] = (text.length <= SIZE_CHARACTERS_MAX && SIZE.exec(text)) || [];
  return width === undefined || height === undefined ? null : { width: Number(width), height: Number(height) };
}

export function sizeText({ width, height }: FrameSize): string {
  return `${width}x${height}`;
}

/** Pixels of the shorter edge that a resolution names; null where it names none. */
export function shorterEdgeOf(resolution: string): number | null {
  return (Object.hasOwn(SHORTER_EDGES, resolution) ? SHORTER_EDGES[resolution] : undefined) ?? null;
}

/** The size that a resolution and an aspect ratio name; null where they name none. */
export function sizeOf(resolution: string, aspectRatio: string): FrameSize | null {
  const edge = shorterEdgeOf(resolution);
  const [across = 0, down = 0] = aspectRatio.split(':').map(Number);
  if (edge === null || !(across > 0 && down > 0)) return null;
  const longer = evenQuotient(edge * Math.max(across, down), Math.min(across, down));
  return across < down ? { width: edge, height: longer } : { width: longer, height: edge };
}

/** The resolution and the aspect ratio that name this size exactly; null where none do. */
export function tierOf({ width, height }: FrameSize): { resolution: string; aspectRatio: string } | null {
  for (const resolution of Object.keys(SHORTER_EDGES)) {
    if (SHORTER_EDGES[resolution] !== Math.min(width, height)) continue;
    for (const aspectRatio of ASPECT_RATIOS) {
      const named = sizeOf(resolution, aspectRatio);
      if (named?.width === width && named.height === height) return { resolution, aspectRatio };
    }
  }
  return null;
}

/** The even number nearest to a quotient of positive integers. */
function evenQuotient(dividend: number, divisor: number): number {
  return Math.floor((dividend + divisor) / (2 * divisor)) * 2;
}
