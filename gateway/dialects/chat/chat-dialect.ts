import type { Turn } from '../../terms/turn.ts';
import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import { JSON_REPLY, KEEP_ALIVE, PROCESSING, type ReplyDialect } from '../reply/reply-dialect.ts';
import { membersOf } from '../request/read-members.ts';
import { ChatFrames } from './frames.ts';
import { parse } from './parse.ts';
import { render } from './render.ts';
import { chatRequest } from './request-schema.ts';

/** Chat completions. (rule I13) */
export const chatDialect: Dialect = {
  members: membersOf(chatRequest),
  parse: (body, session) => {
    const turn = parse(body, session);
    return { turn, reply: chatReplyDialect(turn) };
  },
  errorEnvelope: () => standardEnvelope,
};

const PLAIN = replyDialect(false, false);
const HIDDEN = replyDialect(true, false);
const DISPATCHING = replyDialect(false, true);
const HIDDEN_DISPATCHING = replyDialect(true, true);

/** Writes the answer to a chat request. (rule I19, rule I67) */
function chatReplyDialect(turn: Turn): ReplyDialect {
  const hidden = turn.reasoning?.excluded === true;
  if (turn.dispatch === true) return hidden ? HIDDEN_DISPATCHING : DISPATCHING;
  return hidden ? HIDDEN : PLAIN;
}

function replyDialect(hidden: boolean, dispatch: boolean): ReplyDialect {
  const options = { hidden, dispatch };
  return {
    type: JSON_REPLY,
    whole: (head, events, closing) => render(head, events, closing, hidden),
    frames: (head) => new ChatFrames(head, options),
    processing: PROCESSING,
    keepAlive: KEEP_ALIVE,
  };
}
