import type { Envelopes } from '../../actors/terms/endpoint.ts';

/** The members of `image_config` that say how large a picture is, under their wire names. */
export interface PictureFrame {
  readonly resolution?: unknown;
  readonly aspect_ratio?: unknown;
  readonly size?: unknown;
}

/** Two ratios are the same when they differ by less: sizes are rounded to whole blocks of pixels. */
const RATIO_TOLERANCE = 0.02;
/** A tier has four times the pixels of the one below, so a size belongs to a tier within a factor of two. */
const TIER_FACTOR = 2;
const SQUARE = 1;

const SIZE = /^(\d{1,5}(?:\.\d{1,3})?)[:x](\d{1,5}(?:\.\d{1,3})?)$/i;

/**
 * The frame of a picture in the terms of the serving endpoint. Declared values keep their members, in the declared
 * spelling. A tier or a ratio that the endpoint does not declare becomes the declared size of that ratio nearest the
 * tier, and a size that names a declared tier becomes that tier; the result then lacks the requested member. Values
 * without an equivalent stay unchanged. (rule I24)
 */
export function pictureFrame(requested: PictureFrame, envelope: Envelopes['image'] = {}): PictureFrame {
  const { resolutions = [], aspectRatios = [], sizes = [] } = envelope;
  const { resolution, aspect_ratio: ratio, size } = withTier(requested, sizes, resolutions);
  if (!isDeclared(resolution, resolutions) || !isDeclared(ratio, aspectRatios)) {
    const match = sizeOf({ resolution, aspect_ratio: ratio }, size === undefined ? sizes : declared(size, sizes));
    if (match !== undefined) return { size: match };
  }
  return {
    resolution: spelled(resolution, resolutions),
    aspect_ratio: spelled(ratio, aspectRatios),
    size: spelled(size, sizes),
  };
}

/** A size that is no declared size but names a declared tier is that tier. */
function withTier(requested: PictureFrame, sizes: readonly string[], resolutions: readonly string[]): PictureFrame {
  const { size, aspect_ratio } = requested;
  if (size === undefined || isDeclared(size, sizes) || !isDeclared(size, resolutions)) return requested;
  return { resolution: size, aspect_ratio };
}

/** The first declared size of the ratio; with a tier the nearest to it in pixels, square ones first without a ratio. */
function sizeOf({ resolution, aspect_ratio }: PictureFrame, sizes: readonly string[]): string | undefined {
  const ratio = aspect_ratio === undefined ? SQUARE : ratioOf(aspect_ratio);
  const fitting = aspect_ratio === undefined ? sizes : sizes.filter((size) => ratioDistance(size, ratio) === 0);
  if (resolution === undefined) return fitting[0];
  const edge = tierEdge(resolution);
  if (edge === null) return undefined;
  const pixelDistance = (size: string): number => Math.abs(Math.log(pixelsOf(size) / edge ** 2));
  return fitting
    .filter((size) => pixelDistance(size) <= Math.log(TIER_FACTOR))
    .sort((a, b) => ratioDistance(a, ratio) - ratioDistance(b, ratio) || pixelDistance(a) - pixelDistance(b))[0];
}

/** 0 within the tolerance; infinite where either has no ratio. */
function ratioDistance(size: string, wanted: number | null): number {
  const ratio = ratioOf(size);
  if (ratio === null || wanted === null) return Number.POSITIVE_INFINITY;
  return Math.abs(ratio / wanted - 1) < RATIO_TOLERANCE ? 0 : Math.abs(Math.log(ratio / wanted));
}

function declared(value: unknown, values: readonly string[]): readonly string[] {
  const found = declaredSpelling(value, values);
  return found === undefined ? [] : [found];
}

/** True also for a member that was not requested. */
function isDeclared(value: unknown, values: readonly string[]): boolean {
  return value === undefined || declaredSpelling(value, values) !== undefined;
}

function spelled(value: unknown, values: readonly string[]): unknown {
  return typeof value === 'string' ? (declaredSpelling(value, values) ?? value) : value;
}

/** Width over height of `16:9` or `1024x768`; null for anything else. */
function ratioOf(value: unknown): number | null {
  const [, width, height] = (typeof value === 'string' ? SIZE.exec(value) : null) ?? [];
  const ratio = Number(width) / Number(height);
  return Number.isFinite(ratio) && ratio > 0 ? ratio : null;
}

/** Of width and height, or of the tier that a declared size may name; NaN for any other text. */
function pixelsOf(size: string): number {
  const [, width, height] = SIZE.exec(size) ?? [];
  const edge = tierEdge(size);
  return edge === null ? Number(width) * Number(height) : edge ** 2;
}

/** Edge of a square image of the tier `1K`. */
const TIER_PIXELS = 1_024;
const TIER = /^(\d{1,4}(?:\.\d{1,3})?)(k?)$/i;

/** Edge, in pixels, of a square image of a named tier: `1.5K` is 1,536, `512` is 512; null for any other text. */
export function tierEdge(tier: unknown): number | null {
  const match = typeof tier === 'string' ? TIER.exec(tier) : null;
  if (!match) return null;
  const edge = Number(match[1]) * (match[2] === '' ? 1 : TIER_PIXELS);
  return edge > 0 ? edge : null;
}

/**
 * A value in the spelling that the endpoint declares, ignoring letter case (`2K` and `2k`); undefined if undeclared.
 */
export function declaredSpelling(value: unknown, declared: readonly string[]): string | undefined {
  const written = String(value).toLowerCase();
  return declared.find((word) => word.toLowerCase() === written);
}

/** True for an image setting that any endpoint satisfies: one image, or a choice left to the endpoint. */
export function isLeftToEndpoint(member: string, value: unknown): boolean {
  return value === 'auto' || (member === 'n' && value === 1);
}
