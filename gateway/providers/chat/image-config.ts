import type { Envelopes } from '../../../actors/terms/endpoint.ts';
import { declaredSpelling } from '../../terms/declared-spelling.ts';
import { isLeftToEndpoint } from '../../terms/is-left-to-endpoint.ts';
import { tierEdge } from '../../terms/tier-edge.ts';

type ImageEnvelope = NonNullable<Envelopes['image']>;
type Config = Readonly<Record<string, unknown>>;

/** Two ratios are the same when they differ by less: sizes are rounded to whole blocks of pixels. */
const RATIO_TOLERANCE = 0.02;
const SQUARE = 1;

/**
 * The picture settings of a request in the endpoint's own spelling. Converts a tier and a ratio to a size, or a size to
 * a tier and a ratio, where the endpoint declares only the other form. Omits settings left to the endpoint; sends
 * settings that its envelope does not mention unchanged. (spec: inference, `image_config`)
 */
export function imageConfig(requested: Config, envelope: ImageEnvelope | undefined): Config {
  const entries = Object.entries(requested).filter(([member, value]) => !isLeftToEndpoint(member, value));
  const { resolution, aspect_ratio: ratio, size, output_format: format, ...rest } = Object.fromEntries(entries);
  const { formats = [] } = envelope ?? {};
  const config = {
    ...rest,
    output_format: spelled(format, formats),
    ...frameOf({ resolution, ratio, size }, envelope),
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

interface PictureFrame {
  readonly resolution: unknown;
  readonly ratio: unknown;
  readonly size: unknown;
}

function frameOf({ resolution, ratio, size }: PictureFrame, envelope: ImageEnvelope | undefined): Config {
  const { resolutions = [], aspectRatios = [], sizes = [] } = envelope ?? {};
  const inTiers = resolutions.length > 0 || aspectRatios.length > 0;
  const spelledOut = { resolution: spelled(resolution, resolutions), aspect_ratio: spelledRatio(ratio, aspectRatios) };
  if (size !== undefined) {
    const asSize = { ...spelledOut, size: spelled(size, sizes) };
    if (!inTiers || isSpelled(size, sizes)) return asSize;
    if (isSpelled(size, resolutions)) return { ...spelledOut, resolution: spelled(size, resolutions) };
    return sizes.length > 0 ? asSize : tierOf(size, resolutions, aspectRatios);
  }
  if (!inTiers && sizes.length > 0 && (resolution !== undefined || ratio !== undefined)) {
    return { size: sizeOf(resolution, ratio, sizes) };
  }
  return spelledOut;
}

function isSpelled(value: unknown, declared: readonly string[]): boolean {
  return declaredSpelling(value, declared) !== undefined;
}

function spelled(value: unknown, declared: readonly string[]): unknown {
  return typeof value === 'string' ? (declaredSpelling(value, declared) ?? value) : value;
}

function spelledRatio(value: unknown, declared: readonly string[]): unknown {
  const wanted = ratioOf(value);
  return wanted === null ? value : (declared.find((ratio) => near(ratioOf(ratio), wanted)) ?? value);
}

/** The declared size of that ratio closest to the tier in pixels; without a tier the first size of that ratio. */
function sizeOf(resolution: unknown, ratio: unknown, sizes: readonly string[]): string | undefined {
  const wanted = ratioOf(ratio) ?? SQUARE;
  const fitting = sizes.filter((size) => near(ratioOf(size), wanted));
  const pixels = pixelsOfTier(resolution);
  if (pixels === null) return fitting[0];
  const distance = (size: string): number => Math.abs(Math.log(pixelsOf(size) / pixels));
  return fitting.sort((a, b) => distance(a) - distance(b))[0];
}

function tierOf(size: unknown, resolutions: readonly string[], aspectRatios: readonly string[]): Config {
  const ratio = ratioOf(size);
  if (typeof size !== 'string' || ratio === null) return { size };
  const distance = (tier: string): number => Math.abs(Math.log((pixelsOfTier(tier) ?? 1) / pixelsOf(size)));
  return {
    resolution: [...resolutions].sort((a, b) => distance(a) - distance(b))[0],
    aspect_ratio: aspectRatios.find((declared) => near(ratioOf(declared), ratio)),
  };
}

/** Width over height of `16:9` or `1024x768`; null for anything else. */
function ratioOf(value: unknown): number | null {
  const match = typeof value === 'string' ? /^(\d{1,5})[:x](\d{1,5})$/.exec(value) : null;
  const ratio = match ? Number(match[1]) / Number(match[2]) : Number.NaN;
  return Number.isFinite(ratio) && ratio > 0 ? ratio : null;
}

function near(ratio: number | null, wanted: number): boolean {
  return ratio !== null && Math.abs(ratio / wanted - 1) < RATIO_TOLERANCE;
}

function pixelsOf(size: string): number {
  const [width, height] = size.split('x').map(Number);
  return (width ?? 0) * (height ?? 0);
}

/** `2K` has four times the pixels of `1K`; `0.5K` and `512` have a quarter of them. */
function pixelsOfTier(tier: unknown): number | null {
  const edge = tierEdge(tier);
  return edge === null ? null : edge * edge;
}
