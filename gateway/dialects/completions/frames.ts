import type { TurnEvent } from '../../terms/turn-event.ts';
import { errorMember } from '../reply/error-envelope.ts';
import type { Closing, ReplyFrames, ReplyHead } from '../reply/reply-dialect.ts';
import { DONE } from '../reply/reply-dialect.ts';
import { honouredNames, usageText } from '../reply/usage-text.ts';
import { pathOf } from './path-of.ts';
import { TokenScores } from './token-scores.ts';

/**
 * Writes one stream of a text completion: frames whose texts concatenate to what `render` writes, the last chunk with
 * usage and `honoured`, then the terminator. With `echo` the first frame begins with the prompt. (rule I65)
 */
export class CompletionFrames implements ReplyFrames {
  readonly #opening: string;
  readonly #scores: TokenScores;
  #echo: string;

  constructor(head: ReplyHead, echo: string | null) {
    this.#opening = `data: {"id":${JSON.stringify(head.id)},"object":"text_completion","created":${
      head.created
    },"model":${JSON.stringify(head.model)},"provider":${JSON.stringify(head.provider)},`;
    this.#echo = echo ?? '';
    this.#scores = new TokenScores(this.#echo.length);
  }

  of(events: readonly TurnEvent[]): string {
    let frames = '';
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent;
      switch (event.type) {
        case 'text-delta':
        case 'refusal-delta': {
          const next = events[at + 1];
          const scored = next?.type === 'logprobs' && next.content !== undefined;
          if (scored) at++;
          frames += this.#text(event.text, scored ? this.#scores.text(next.content) : 'null');
          break;
        }
        case 'logprobs':
          if (event.content !== undefined) frames += this.#text('', this.#scores.text(event.content));
          break;
        case 'finish':
          frames += this.#finish(event.reason, event.native);
          break;
        case 'error':
          frames += `${this.#opening}"error":${errorMember(event.error)},"choices":[{"index":0,"text":"","logprobs":null,"finish_reason":"error"}]}\n\n`;
          break;
        default:
        // Other events have no counterpart in this dialect.
      }
    }
    return frames;
  }

  end(closing: Closing | null): string {
    if (closing === null) return DONE;
    const { usage, cost, honoured } = closing;
    return `${this.#opening}"choices":[],"usage":${usageText(usage, cost)},"honoured":${JSON.stringify(honouredNames(honoured, pathOf))}}\n\n${DONE}`;
  }

  #text(text: string, scores: string): string {
    return `${this.#opening}"choices":[{"index":0,"text":${JSON.stringify(this.#takeEcho() + text)},"logprobs":${scores},"finish_reason":null}]}\n\n`;
  }

  #finish(reason: string, native: string | null): string {
    return `${this.#opening}"choices":[{"index":0,"text":${JSON.stringify(this.#takeEcho())},"logprobs":null,"finish_reason":"${reason}","native_finish_reason":${JSON.stringify(
      native,
    )}}]}\n\n`;
  }

  #takeEcho(): string {
    const echo = this.#echo;
    this.#echo = '';
    return echo;
  }
}
