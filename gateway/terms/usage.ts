/**
 * What a provider reported, in one form for every dialect. Absent was not reported; never 0 for either. The prompt's
 * total holds what was read from and written to a cache, the completion's total holds reasoning and media tokens:
 * fresh input is `promptTokens` less the cache counts, whatever way the provider counted.
 */
export interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  /** Written to a cache for the default five minutes, and for one hour. */
  readonly cacheWriteTokens?: number;
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens?: number;
  /** Completion tokens that are pictures, and that are speech. */
  readonly imageTokens?: number;
  readonly audioTokens?: number;
}

/** What was measured on the bytes of a reply, or of a request; absent where there was none of it. */
export interface MediaUnits {
  readonly images?: number;
  /** Exact decimal text; of the pictures that could be read. */
  readonly megapixels?: string;
  /** Pictures of no readable size: behind an address, broken, or of a kind nobody knows. */
  readonly imagesUnread?: number;
  /** Exact decimal text. */
  readonly audioSeconds?: string;
  /** There was speech of no readable length. */
  readonly audioUnread?: true;
  /** Seconds of audio in the prompt, exact decimal text. */
  readonly inputAudioSeconds?: string;
  readonly inputImages?: number;
}
