import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import { KEEP_ALIVE, PROCESSING } from '../reply/event-text.ts';
import { JSON_REPLY, type ReplyDialect } from '../reply/reply-dialect.ts';
import { membersOf } from '../request/unread-members.ts';
import { ImagesFrames } from './frames.ts';
import { parse } from './parse.ts';
import { pathOf } from './path-of.ts';
import { render } from './render.ts';
import { imagesRequest } from './request-schema.ts';

/** Writes the answer to an image generation. */
const REPLY: ReplyDialect = {
  type: JSON_REPLY,
  whole: render,
  frames: (head) => new ImagesFrames(head),
  processing: PROCESSING,
  keepAlive: KEEP_ALIVE,
  pathOf,
};

/** Image generations. (rule I100) */
export const imagesDialect: Dialect = {
  members: membersOf(imagesRequest),
  parse: (body, session) => ({ turn: parse(body, session), reply: REPLY }),
  errorEnvelope: () => standardEnvelope,
};
