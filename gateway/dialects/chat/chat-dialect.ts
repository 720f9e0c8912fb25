import type { Turn } from '../../terms/turn.ts';
import { KEEP_ALIVE, PROCESSING } from '../reply/event-text.ts';
import type { ReplyDialect } from '../reply/reply-dialect.ts';
import { Frames } from './frames.ts';
import { render } from './render.ts';

const PLAIN = dialectOf(false, false);
const HIDDEN = dialectOf(true, false);
const DISPATCHING = dialectOf(false, true);
const HIDDEN_DISPATCHING = dialectOf(true, true);

/** How the answer to a chat request is written. (spec: inference, `reasoning.exclude`, Call-ready tool dispatch) */
export function chatDialect(turn: Turn): ReplyDialect {
  const hidden = turn.reasoning?.excluded === true;
  if (turn.dispatch === true) return hidden ? HIDDEN_DISPATCHING : DISPATCHING;
  return hidden ? HIDDEN : PLAIN;
}

function dialectOf(hidden: boolean, dispatch: boolean): ReplyDialect {
  const options = { hidden, dispatch };
  return {
    whole: (head, events, closing) => render(head, events, closing, hidden),
    frames: (head) => new Frames(head, options),
    processing: PROCESSING,
    keepAlive: KEEP_ALIVE,
  };
}
