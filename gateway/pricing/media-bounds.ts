import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { pictureFrame, tierEdge } from '../terms/picture-frame.ts';
import type { Turn, TurnMessage } from '../terms/turn.ts';

/** The most images and speech that a turn may produce: sizes its hold, and bounds the plausible media of its answer. */
export interface MediaBounds {
  readonly images: number;
  readonly pixelsPerImage: number;
  readonly audioSeconds: number;
  /** Tokens that images may be reported as, beside the ceiling: image models are not given a ceiling in images. */
  readonly imageTokens: number;
}

/** Images of one answer without a requested number: for a turn that requests images, and for one that may get some. */
const IMAGES_REQUESTED = 2;
const IMAGES_UNREQUESTED = 1;
const IMAGES_MAX = 100;
/** One image takes 129 to about 6,300 tokens in current models. */
const TOKENS_PER_IMAGE_MAX = 6_500;
/** An image without a size from the turn or the endpoint, and the largest plausible image. */
const PIXELS_DEFAULT = 2_048 * 2_048;
const PIXELS_MAX = 16_384 * 16_384;
/** Other aspect ratios of a named tier have about as many pixels as its square. */
const RATIO_MARGIN = 1.25;
/** Speech counted as text runs at about three tokens a second, as audio tokens at ten and more. */
const TOKENS_PER_SECOND_MIN = 2;
const AUDIO_SECONDS_BASE = 10;
const AUDIO_SECONDS_MAX = 3_600;

const SIZE = /^(\d{1,6})x(\d{1,6})$/i;

/** Null for an endpoint that produces text only. */
export function mediaBounds(turn: Turn, endpoint: Endpoint, completionTokensMax: number): MediaBounds | null {
  const makesImages = endpoint.outputModalities.includes('image');
  const makesSpeech = endpoint.outputModalities.includes('audio');
  if (!makesImages && !makesSpeech) return null;
  const seconds = AUDIO_SECONDS_BASE + Math.ceil(completionTokensMax / TOKENS_PER_SECOND_MIN);
  const images = makesImages ? imagesOf(turn, endpoint) : 0;
  return {
    images,
    pixelsPerImage: makesImages ? pixelsOf(turn, endpoint) : 0,
    audioSeconds: makesSpeech ? Math.min(AUDIO_SECONDS_MAX, seconds) : 0,
    imageTokens: images * TOKENS_PER_IMAGE_MAX,
  };
}

function imagesOf({ imageConfig, modalities }: Turn, { envelopes }: Endpoint): number {
  const requested = imageConfig?.n;
  if (Number.isSafeInteger(requested) && (requested as number) > 0) return Math.min(requested as number, IMAGES_MAX);
  const usual = modalities?.output.includes('image') ? IMAGES_REQUESTED : IMAGES_UNREQUESTED;
  return Math.min(usual, envelopes.image?.imagesMax ?? usual);
}

/**
 * The size or tier that the endpoint receives, or else the largest declared one; a name without a size is a large
 * image.
 */
function pixelsOf({ imageConfig }: Turn, { envelopes }: Endpoint): number {
  const { sizes = [], resolutions = [] } = envelopes.image ?? {};
  const { size, resolution } = pictureFrame(imageConfig ?? {}, envelopes.image);
  const requested =
    pixelsOfText(size) ?? (resolutions.length > 0 || sizes.length === 0 ? pixelsOfText(resolution) : null);
  if (requested !== null) return requested;
  const declared = [...sizes, ...resolutions].map((name) => pixelsOfText(name) ?? PIXELS_DEFAULT);
  return declared.length > 0 ? Math.max(...declared) : PIXELS_DEFAULT;
}

/** Parses `1024x1536`, or a tier such as `2K`. */
function pixelsOfText(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const [, width, height] = SIZE.exec(text) ?? [];
  if (width !== undefined)
    return Math.min(PIXELS_MAX, Number.parseInt(width, 10) * Number.parseInt(height as string, 10));
  const edge = tierEdge(text);
  return edge === null ? null : Math.min(PIXELS_MAX, Math.ceil(edge ** 2 * RATIO_MARGIN));
}

/** Images in these messages of the turn. Returns at once for a turn without any. */
export function inputImages({ modalities }: Turn, messages: readonly TurnMessage[]): number {
  if (modalities === undefined || !modalities.input.includes('image')) return 0;
  let images = 0;
  for (const message of messages) {
    if (message.role === 'assistant' || message.parts === undefined) continue;
    for (const { type } of message.parts) if (type === 'image') images += 1;
  }
  return images;
}
