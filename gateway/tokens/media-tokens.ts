import type { MediaPart, MediaSource } from '../terms/turn.ts';

/** The size of one non-text part: the best estimate of its tokens, and an upper bound for all known providers. */
interface MediaTokens {
  readonly counted: number;
  readonly bound: number;
}

/** An image is cut into tiles or patches: 85 to about 1,600 tokens in use, 16,384 in the most expensive known model. */
const IMAGE: MediaTokens = { counted: 1_024, bound: 16_384 };
/** Low detail: a small fixed number of tokens wherever `detail` is supported. */
const IMAGE_LOW: MediaTokens = { counted: 85, bound: 1_600 };

interface Weighing {
  /** Bytes per token: of ordinary media, and of the most expensive ones. */
  readonly bytesPerToken: number;
  readonly bytesPerTokenMin: number;
  /** Estimate for a URL, whose bytes are unknown. */
  readonly unseen: MediaTokens;
}

/**
 * Parts with bytes are sized by them: speech takes 10 to 32 tokens a second in 2 to 32 kB, video 66 to 300 tokens a
 * second in 12 to 250 kB, and a document of compressed text about one token per byte.
 */
const WEIGHINGS: Readonly<Record<'audio' | 'video' | 'file', Weighing>> = {
  audio: { bytesPerToken: 500, bytesPerTokenMin: 16, unseen: { counted: 1_024, bound: 131_072 } },
  video: { bytesPerToken: 500, bytesPerTokenMin: 32, unseen: { counted: 8_192, bound: 1_048_576 } },
  file: { bytesPerToken: 32, bytesPerTokenMin: 1, unseen: { counted: 4_096, bound: 1_048_576 } },
};
/**
 * Smallest size of a part, for its framing and first unit; and the largest estimate, so that no request is refused by
 * it.
 */
const PART_TOKENS = 64;
const FILE_BOUND_MIN = 16_384;
const COUNTED_MAX = 16_384;

/** Sizes one part by the request and the records of stored files alone; nothing is decoded or fetched. */
export function mediaTokens(part: MediaPart): MediaTokens {
  if (part.type === 'image') return part.detail === 'low' ? IMAGE_LOW : IMAGE;
  const { bytesPerToken, bytesPerTokenMin, unseen } = WEIGHINGS[part.type];
  if (part.source.kind === 'url') return unseen;
  const bytes = bytesOf(part.source);
  const least = part.type === 'file' ? FILE_BOUND_MIN : PART_TOKENS;
  return {
    counted: Math.min(COUNTED_MAX, PART_TOKENS + Math.ceil(bytes / bytesPerToken)),
    bound: least + Math.ceil(bytes / bytesPerTokenMin),
  };
}

function bytesOf(source: Exclude<MediaSource, { kind: 'url' }>): number {
  return source.kind === 'stored' ? source.bytes : (source.base64.length * 3) / 4;
}
