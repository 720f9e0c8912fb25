/**
 * Usage as a provider reported it, in one form for every dialect. An unreported count is absent, never 0. The prompt's
 * total includes tokens read from and written to a cache, and the completion's total includes reasoning and media
 * tokens, however the provider counts: fresh input is `promptTokens` less the cache counts.
 */
export interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  /** Written to a cache for the default five minutes, and for one hour. */
  readonly cacheWriteTokens?: number;
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens?: number;
  /** Completion tokens that encode images and speech. */
  readonly imageTokens?: number;
  readonly audioTokens?: number;
  /** Units in which some providers bill rankings. */
  readonly searches?: number;
}

/** Units measured from the bytes of a reply or a request; absent where there are none. */
export interface MediaUnits {
  readonly images?: number;
  /** Exact decimal text, for the images whose size could be read. */
  readonly megapixels?: string;
  /** Images of no readable size: given by URL, malformed, or of an unsupported kind. */
  readonly imagesUnread?: number;
  /** Exact decimal text. */
  readonly audioSeconds?: string;
  /** Speech of no readable length was present. */
  readonly audioUnread?: true;
  /** Seconds of audio in the prompt, exact decimal text; only where the endpoint prices seconds. */
  readonly inputAudioSeconds?: string;
  /** The prompt has audio of no readable length: behind a URL, malformed, or of an unsupported kind. */
  readonly inputAudioUnread?: true;
  /** Characters of the prompt's text; only where the endpoint prices characters. */
  readonly inputCharacters?: number;
  readonly inputImages?: number;
  /** A query with up to 100 documents is one; only where the endpoint prices them. */
  readonly searches?: number;
}
