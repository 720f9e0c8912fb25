import type { MediaPart } from '../terms/turn.ts';

/** What one part beside text weighs: the best guess at its tokens, and what no provider known to us exceeds. */
export interface MediaTokens {
  readonly counted: number;
  readonly bound: number;
}

/** A picture is cut into tiles or patches: 85 to about 1,600 tokens in use, 16,384 in the greediest model known. */
const IMAGE: MediaTokens = { counted: 1_024, bound: 16_384 };
/** Shown small, at a fixed price wherever `detail` is known at all. */
const IMAGE_LOW: MediaTokens = { counted: 85, bound: 1_600 };

interface Weighing {
  /** Bytes to one token: of ordinary material, and of the most wasteful. */
  readonly bytesPerToken: number;
  readonly bytesPerTokenMin: number;
  /** Behind an address nothing can be weighed. */
  readonly unseen: MediaTokens;
}

/**
 * By bytes where a part has them: speech costs 10 to 32 tokens a second in 2 to 32 kB, video 66 to 300 tokens a second in
 * 12 to 250 kB, a document about a token per byte when it is all compressed text.
 */
const WEIGHINGS: Readonly<Record<'audio' | 'video' | 'file', Weighing>> = {
  audio: { bytesPerToken: 500, bytesPerTokenMin: 16, unseen: { counted: 1_024, bound: 131_072 } },
  video: { bytesPerToken: 500, bytesPerTokenMin: 32, unseen: { counted: 8_192, bound: 1_048_576 } },
  file: { bytesPerToken: 32, bytesPerTokenMin: 1, unseen: { counted: 4_096, bound: 1_048_576 } },
};
/** Least weight of a part, for its frame and its first unit; and the most a guess says, which must refuse nobody. */
const PART_TOKENS = 64;
const FILE_BOUND_MIN = 16_384;
const COUNTED_MAX = 16_384;

/** Weighs one part by what stands in the request; nothing is decoded or fetched. */
export function mediaTokens(part: MediaPart): MediaTokens {
  if (part.type === 'image') return part.detail === 'low' ? IMAGE_LOW : IMAGE;
  const { bytesPerToken, bytesPerTokenMin, unseen } = WEIGHINGS[part.type];
  if (part.source.kind === 'url') return unseen;
  const bytes = (part.source.base64.length * 3) / 4;
  const least = part.type === 'file' ? FILE_BOUND_MIN : PART_TOKENS;
  return {
    counted: Math.min(COUNTED_MAX, PART_TOKENS + Math.ceil(bytes / bytesPerToken)),
    bound: least + Math.ceil(bytes / bytesPerTokenMin),
  };
}
