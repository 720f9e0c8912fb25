import type { TurnEvent } from '../../terms/turn-event.ts';
import { ChatReader } from '../chat/reply-reader.ts';

type Members = Readonly<Record<string, unknown>>;

/** Reads text completions: the envelope of chat completions with a text as the answer. */
export class CompletionsReader extends ChatReader {
  protected override readAnswer({ text, logprobs }: Members, _part: 'delta' | 'message', events: TurnEvent[]): void {
    if (typeof text === 'string' && text !== '') events.push({ type: 'text-delta', text });
    const content = logprobs == null ? [] : scoresOf(logprobs as Members);
    if (content.length > 0) events.push({ type: 'logprobs', content });
  }
}

/** The lists of equal length as one entry for each token. */
function scoresOf({ tokens, token_logprobs: scores, top_logprobs: tops }: Members): readonly object[] {
  if (!Array.isArray(tokens) || !Array.isArray(scores)) return [];
  return tokens.flatMap((token: unknown, at) => {
    const logprob: unknown = scores[at];
    if (typeof token !== 'string' || typeof logprob !== 'number') return [];
    const top: unknown = Array.isArray(tops) ? tops[at] : null;
    if (typeof top !== 'object' || top === null) return [{ token, logprob }];
    const others = Object.entries(top).filter(([, score]) => typeof score === 'number');
    return [{ token, logprob, top_logprobs: others.map(([other, score]) => ({ token: other, logprob: score })) }];
  });
}
