import { KEEP_ALIVE, PROCESSING } from '../reply/event-text.ts';
import type { ReplyDialect } from '../reply/reply-dialect.ts';
import { Frames } from './frames.ts';
import { render } from './render.ts';

/** How the answer to a text completion is written. `echo`: text that stands before it. (spec: inference, Text completion) */
export function completionDialect(echo: string | null): ReplyDialect {
  return {
    whole: (head, events, closing) => render(head, events, closing, echo),
    frames: (head) => new Frames(head, echo),
    processing: PROCESSING,
    keepAlive: KEEP_ALIVE,
  };
}
