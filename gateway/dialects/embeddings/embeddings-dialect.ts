import { floatText } from '../../terms/exact-decimal.ts';
import type { TurnEvent, Vector } from '../../terms/turn-event.ts';
import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import { type Closing, JSON_REPLY, type ReplyDialect, type ReplyHead } from '../reply/reply-dialect.ts';
import { numberText } from '../reply/usage-text.ts';
import { membersOf } from '../request/read-members.ts';
import { type Encoding, parse } from './parse.ts';
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

/**
 * An embeddings answer as JSON text, a piece for each vector: in the order of the inputs, as numbers or as base64 of
 * little-endian 32-bit floats. Two million numbers take over a second. The usage is what was charged, since clients
 * require the count of tokens. (rule I106)
 */
function* render(
  { id, model }: ReplyHead,
  events: readonly TurnEvent[],
  closing: Closing | null,
  encoding: Encoding,
): Generator<string> {
  yield `{"id":${JSON.stringify(id)},"object":"list","model":${JSON.stringify(model)},"data":[`;
  const vectors = events.flatMap((event) => (event.type === 'embeddings' ? event.vectors : []));
  for (const [index, vector] of vectors.entries()) {
    const comma = index === 0 ? '' : ',';
    yield `${comma}{"object":"embedding","index":${index},"embedding":${vectorText(vector, encoding)}}`;
  }
  yield closing === null ? ']}' : `],"usage":${usageText(closing)}}`;
}

function usageText({ usage, promptCounted = 0, cost }: Closing): string {
  const promptTokens = usage.promptTokens ?? promptCounted;
  return `{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens},"cost":${numberText(cost)}}`;
}

function vectorText(vector: Vector, encoding: Encoding): string {
  return encoding === 'float' ? `[${vector.join(',')}]` : `"${floatText(vector)}"`;
}
