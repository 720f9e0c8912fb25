import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import { KEEP_ALIVE, PROCESSING } from '../reply/event-text.ts';
import { JSON_REPLY, type ReplyDialect } from '../reply/reply-dialect.ts';
import { membersOf } from '../request/unread-members.ts';
import { CompletionFrames } from './frames.ts';
import { parse } from './parse.ts';
import { render } from './render.ts';
import { completionRequest } from './request-schema.ts';

/** Text completions. (rule I62, rule I63, rule I64) */
export const completionDialect: Dialect = {
  members: membersOf(completionRequest),
  parse: (body, session) => {
    const { turn, echo } = parse(body, session);
    return { turn, reply: completionReplyDialect(echo) };
  },
  errorEnvelope: () => standardEnvelope,
};

/** Writes the answer to a text completion. `echo`: text placed before the answer. (rule I62, rule I63, rule I64) */
export function completionReplyDialect(echo: string | null): ReplyDialect {
  return {
    type: JSON_REPLY,
    whole: (head, events, closing) => render(head, events, closing, echo),
    frames: (head) => new CompletionFrames(head, echo),
    processing: PROCESSING,
    keepAlive: KEEP_ALIVE,
    pathOf,
  };
}

function pathOf(path: string): string | null {
  if (path.startsWith('messages')) return 'prompt';
  if (path === 'top_logprobs') return 'logprobs';
  return Object.hasOwn(completionRequest.properties, path) ? path : null;
}
