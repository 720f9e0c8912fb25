import type { Dialect } from '../reply/dialect.ts';
import { JSON_REPLY, type ReplyDialect } from '../reply/reply-dialect.ts';
import { membersOf } from '../request/read-members.ts';
import { streamEnvelope, wholeEnvelope } from './error-envelope.ts';
import { MessagesFrames, PING } from './frames.ts';
import { parse } from './parse.ts';
import { pathOf } from './path-of.ts';
import { render } from './render.ts';
import { messagesRequest } from './request-schema.ts';

/** Messages. (rule I71) */
export const messagesDialect: Dialect = {
  members: membersOf(messagesRequest),
  parse: (body, session) => {
    const turn = parse(body, session);
    const stops = turn.sampling.stop as readonly string[] | undefined;
    return { turn, reply: stops === undefined ? PLAIN : messagesReplyDialect(stops) };
  },
  errorEnvelope: (streamed) => (streamed ? streamEnvelope : wholeEnvelope),
};

/** Writes the answer to a request with these `stop_sequences`. */
export function messagesReplyDialect(stops: readonly string[]): ReplyDialect {
  return {
    type: JSON_REPLY,
    whole: (head, events, closing) => render(head, events, closing, stops),
    frames: (head) => new MessagesFrames(head, stops),
    // `message_start` is the first event of a stream.
    processing: '',
    keepAlive: PING,
    pathOf,
  };
}

const PLAIN = messagesReplyDialect([]);
