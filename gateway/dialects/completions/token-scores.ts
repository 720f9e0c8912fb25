/** One token as the chat dialect scores it; whatever else stands there is not read. */
interface Scored {
  readonly token?: unknown;
  readonly logprob?: unknown;
  readonly top_logprobs?: unknown;
}

/**
 * Scores of tokens in the older shape: four lists of equal length, the offsets counted from the start of the text. Knows
 * how far the text has come, so that the lists of a stream continue each other. Built from provider text: what has not
 * the expected shape becomes null. (spec: inference, Text completion)
 */
export class TokenScores {
  #offset: number;

  /** `offset`: characters that stand before the answer's own. */
  constructor(offset: number) {
    this.#offset = offset;
  }

  /** The member `logprobs` for these tokens. */
  text(entries: readonly unknown[]): string {
    const tokens: string[] = [];
    const logprobs: (number | null)[] = [];
    const tops: (Record<string, number> | null)[] = [];
    const offsets: number[] = [];
    for (const entry of entries) {
      const { token, logprob, top_logprobs: top } = (entry ?? {}) as Scored;
      const text = typeof token === 'string' ? token : '';
      tokens.push(text);
      logprobs.push(typeof logprob === 'number' ? logprob : null);
      tops.push(Array.isArray(top) && top.length > 0 ? alternatives(top) : null);
      offsets.push(this.#offset);
      this.#offset += text.length;
    }
    return JSON.stringify({ tokens, token_logprobs: logprobs, top_logprobs: tops, text_offset: offsets });
  }
}

function alternatives(top: readonly unknown[]): Record<string, number> {
  const scored = top.map((each): [string, number] => {
    const { token, logprob } = (each ?? {}) as Scored;
    return [typeof token === 'string' ? token : '', typeof logprob === 'number' ? logprob : 0];
  });
  return Object.fromEntries(scored);
}
