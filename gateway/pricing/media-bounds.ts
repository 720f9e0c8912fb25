import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { tierEdge } from '../terms/tier-edge.ts';
import type { Turn } from '../terms/turn.ts';

/** The most that a turn may be drawn and spoken: sizes its hold, and bounds what is believed of its answer. */
export interface MediaBounds {
  readonly images: number;
  readonly pixelsPerImage: number;
  readonly audioSeconds: number;
  /** Tokens that pictures may be reported as, beside the ceiling: no ceiling is told to a painter in pictures. */
  readonly imageTokens: number;
}

/** Pictures of one answer where no number was asked: of a turn that asks for pictures, and of one that may get some. */
const IMAGES_ASKED = 2;
const IMAGES_UNASKED = 1;
const IMAGES_MAX = 100;
/** One picture is 129 to about 6,300 tokens in use. */
const TOKENS_PER_IMAGE_MAX = 6_500;
/** A picture where neither the turn nor the endpoint names a size, and the largest that is believed at all. */
const PIXELS_DEFAULT = 2_048 * 2_048;
const PIXELS_MAX = 16_384 * 16_384;
/** Other ratios of a named tier than its square are drawn with as many pixels, give or take. */
const RATIO_MARGIN = 1.25;
/** Speech of text alone runs at about three tokens a second, of audio tokens at ten and more. */
const TOKENS_PER_SECOND_MIN = 2;
const AUDIO_SECONDS_BASE = 10;
const AUDIO_SECONDS_MAX = 3_600;

const SIZE = /^(\d{1,6})x(\d{1,6})$/i;

/** Null where this endpoint can only write. */
export function mediaBounds(turn: Turn, endpoint: Endpoint, completionTokensMax: number): MediaBounds | null {
  const draws = endpoint.outputModalities.includes('image');
  const speaks = endpoint.outputModalities.includes('audio');
  if (!draws && !speaks) return null;
  const seconds = AUDIO_SECONDS_BASE + Math.ceil(completionTokensMax / TOKENS_PER_SECOND_MIN);
  const images = draws ? imagesOf(turn, endpoint) : 0;
  return {
    images,
    pixelsPerImage: draws ? pixelsOf(turn, endpoint) : 0,
    audioSeconds: speaks ? Math.min(AUDIO_SECONDS_MAX, seconds) : 0,
    imageTokens: images * TOKENS_PER_IMAGE_MAX,
  };
}

function imagesOf({ imageConfig, modalities }: Turn, { envelopes }: Endpoint): number {
  const asked = imageConfig?.n;
  if (Number.isSafeInteger(asked) && (asked as number) > 0) return Math.min(asked as number, IMAGES_MAX);
  const usual = modalities?.output.includes('image') ? IMAGES_ASKED : IMAGES_UNASKED;
  return Math.min(usual, envelopes.image?.imagesMax ?? usual);
}

/** What was asked, or else the largest that is declared: of a name that tells no size, a large picture. */
function pixelsOf({ imageConfig }: Turn, { envelopes }: Endpoint): number {
  const { sizes = [], resolutions = [] } = envelopes.image ?? {};
  const { size, resolution } = imageConfig ?? {};
  // Who declares sizes alone is sent one of them, near the tier that was asked.
  const asked = pixelsOfText(size) ?? (resolutions.length > 0 || sizes.length === 0 ? pixelsOfText(resolution) : null);
  if (asked !== null) return asked;
  const declared = [...sizes, ...resolutions].map((name) => pixelsOfText(name) ?? PIXELS_DEFAULT);
  return declared.length > 0 ? Math.max(...declared) : PIXELS_DEFAULT;
}

/** `1024x1536`, or a tier such as `2K`. */
function pixelsOfText(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const [, width, height] = SIZE.exec(text) ?? [];
  if (width !== undefined)
    return Math.min(PIXELS_MAX, Number.parseInt(width, 10) * Number.parseInt(height as string, 10));
  const edge = tierEdge(text);
  return edge === null ? null : Math.min(PIXELS_MAX, Math.ceil(edge ** 2 * RATIO_MARGIN));
}
