import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import { JSON_REPLY, type ReplyDialect } from '../reply/reply-dialect.ts';
import { membersOf } from '../request/unread-members.ts';
import { type Encoding, parse } from './parse.ts';
import { render } from './render.ts';
import { embeddingsRequest } from './request-schema.ts';

/** Embeddings: vectors for texts. Never streamed. (rule I105) */
export const embeddingsDialect: Dialect = {
  members: membersOf(embeddingsRequest),
  parse: (body, session) => {
    const { turn, encoding } = parse(body, session);
    return { turn, reply: REPLIES[encoding] };
  },
  errorEnvelope: () => standardEnvelope,
};

const REPLIES: Readonly<Record<Encoding, ReplyDialect>> = {
  float: embeddingsReplyDialect('float'),
  base64: embeddingsReplyDialect('base64'),
};

function embeddingsReplyDialect(encoding: Encoding): ReplyDialect {
  return {
    type: JSON_REPLY,
    whole: (head, events, closing) => [...render(head, events, closing, encoding)].join(''),
    pieces: (head, events, closing) => render(head, events, closing, encoding),
    frames: () => {
      throw new Error('an embeddings answer has no stream: parse refuses stream: true');
    },
    processing: '',
    keepAlive: '',
    pathOf,
  };
}

/** The inputs are the messages of the turn. */
function pathOf(path: string): string | null {
  if (path.startsWith('messages')) return 'input';
  return Object.hasOwn(embeddingsRequest.properties, path) ? path : null;
}
