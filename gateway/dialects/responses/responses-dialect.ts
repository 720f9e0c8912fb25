import type { Dialect } from '../dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import { KEEP_ALIVE, PROCESSING } from '../reply/event-text.ts';
import type { ReplyDialect } from '../reply/reply-dialect.ts';
import { membersOf } from '../request/unread-members.ts';
import { streamEnvelope } from './failure.ts';
import { ResponsesFrames, SILENCE_MS } from './frames.ts';
import { parse } from './parse.ts';
import { pathOf } from './path-of.ts';
import { render } from './render.ts';
import { type RepeatedRequest, repeatedMembers } from './repeated-members.ts';
import { responsesRequest } from './request-schema.ts';

/** Responses. (spec: inference, Responses dialect request) */
export const responsesDialect: Dialect = {
  members: membersOf(responsesRequest),
  parse: (body, session) => {
    const { turn, request } = parse(body, session);
    return { turn, reply: responsesReplyDialect(request) };
  },
  errorEnvelope: (streamed) => (streamed ? streamEnvelope : standardEnvelope),
};

/** Writes the answer to a responses request, whose members it repeats. */
export function responsesReplyDialect(request: RepeatedRequest & { readonly input?: unknown }): ReplyDialect {
  // Holds the members that are repeated, and not the input.
  const { input: _input, ...kept } = request;
  const wanted = { repeated: () => repeatedMembers(kept), hidesReasoning: kept.reasoning?.exclude === true };
  return {
    whole: (head, events, closing) => render(head, events, closing, wanted),
    frames: (head) => new ResponsesFrames(head, wanted),
    processing: PROCESSING,
    keepAlive: KEEP_ALIVE,
    framesAfterMs: SILENCE_MS,
    pathOf,
  };
}
