/** One token as the chat dialect scores it; other members are not read. */
interface Scored {
  readonly token?: unknown;
  readonly logprob?: unknown;
  readonly top_logprobs?: unknown;
}

/**
 * Token scores in the older shape: four lists of equal length, with offsets from the start of the text. Keeps the
 * offset between calls, so that the lists of a stream continue each other. Reads provider text: values of an unexpected
 * type become null. (rule I64)
 */
export class TokenScores {
  #offset: number;

  /** `offset`: characters before the answer. */
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
