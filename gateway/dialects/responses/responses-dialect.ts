import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Dialect } from '../reply/dialect.ts';
import { standardEnvelope } from '../reply/error-envelope.ts';
import {
  type Closing,
  JSON_REPLY,
  KEEP_ALIVE,
  PROCESSING,
  type ReplyDialect,
  type ReplyHead,
} from '../reply/reply-dialect.ts';
import { membersOf } from '../request/read-members.ts';
import { streamEnvelope } from './failure.ts';
import type { FlatTool } from './flat-tools.ts';
import { type ReplyRequest, ResponsesFrames, SILENCE_MS } from './frames.ts';
import { parse } from './parse.ts';
import { pathOf } from './path-of.ts';
import { type RepeatedRequest, repeatedMembers } from './repeated-members.ts';
import { responsesRequest } from './request-schema.ts';

/** Responses. (rule I84) */
export const responsesDialect: Dialect = {
  members: membersOf(responsesRequest),
  parse: (body, session) => {
    const { turn, request, tools } = parse(body, session);
    return { turn, reply: responsesReplyDialect(request, tools) };
  },
  errorEnvelope: (streamed) => (streamed ? streamEnvelope : standardEnvelope),
};

/** Writes the answer to a responses request, whose members it repeats and whose functions, `tools`, it names. */
export function responsesReplyDialect(
  request: RepeatedRequest & { readonly input?: unknown },
  tools: readonly FlatTool[] = [],
): ReplyDialect {
  // Holds the members that are repeated, and not the input.
  const { input: _input, ...kept } = request;
  const named = tools.filter(({ client }) => client.namespace !== null);
  const wanted = {
    repeated: () => repeatedMembers(kept),
    hidesReasoning: kept.reasoning?.exclude === true,
    clientNames: new Map(named.map(({ tool, client }) => [tool.name, client])),
  };
  const members = named.length === 0 ? null : tools.map(({ member }) => member);
  return {
    type: JSON_REPLY,
    whole: (head, events, closing) => render(head, events, closing, wanted),
    frames: (head) => new ResponsesFrames(head, wanted),
    processing: PROCESSING,
    keepAlive: KEEP_ALIVE,
    framesAfterMs: SILENCE_MS,
    pathOf: (path) => pathOf(members === null ? path : path.replace(TOOL, (tool, at) => members[at] ?? tool)),
  };
}

/** A function of a chat request by its position. */
const TOOL = /^tools\[(\d{1,6})\]/;

/**
 * A whole response as JSON text: the one that ends the stream of the same events. `closing: null` means that no charge
 * is recorded. (rule I87)
 */
function render(head: ReplyHead, events: readonly TurnEvent[], closing: Closing | null, request: ReplyRequest): string {
  const frames = new ResponsesFrames(head, request);
  frames.of(events);
  return frames.response(closing);
}
