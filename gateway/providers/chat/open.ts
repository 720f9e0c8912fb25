import type { Outbound, OutboundLimits, OutboundReply, OutboundUrl } from '../../outbound/outbound.ts';
import type { Turn } from '../../terms/turn.ts';
import type { Attempt } from '../attempt.ts';
import { failureOf, statusFailure } from '../failure-of.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { type ChatEndpoint, requestBody } from './request-body.ts';
import { StreamAttempt } from './stream-attempt.ts';
import { WholeAttempt } from './whole-attempt.ts';

export interface ChatTarget extends ChatEndpoint {
  /** The provider's chat completions route. */
  readonly url: OutboundUrl;
  /** What `chatHeaders` gave for it. */
  readonly headers: ChatHeaders;
}

export interface OpenRequest {
  readonly target: ChatTarget;
  readonly turn: Turn;
  /** The ceiling this endpoint is sent. */
  readonly ceiling: number;
  /** Generation id, only to name tool calls that the provider left nameless. */
  readonly generation: string;
  readonly limits: OutboundLimits;
  readonly lineBytesMax: number;
  /** Handed the way to call the attempt off, before it is sent. */
  readonly begun: (abort: () => void) => void;
}

/**
 * Sends a turn to an endpoint that speaks chat completions and resolves when its answer has begun. Of the caller's
 * headers only the conversation id goes out. Rejects with `ProviderFailure`.
 */
export async function open(outbound: Outbound, request: OpenRequest): Promise<Attempt> {
  const { target, turn } = request;
  let reply: OutboundReply;
  try {
    reply = await outbound.send({
      method: 'POST',
      url: target.url,
      headers: headersOf(target, turn),
      body: requestBody(turn, target, request.ceiling),
      limits: request.limits,
      begun: request.begun,
    });
  } catch (error) {
    throw failureOf(error, null);
  }
  const failure = failureOfHead(reply, turn.stream);
  if (failure) {
    reply.body.abort();
    throw failure;
  }
  const makeCallId = (index: number): string => `call_${request.generation}_${index}`;
  return turn.stream ? new StreamAttempt(reply, request.lineBytesMax, makeCallId) : new WholeAttempt(reply, makeCallId);
}

function failureOfHead(reply: OutboundReply, stream: boolean): ProviderFailure | null {
  if (reply.status !== 200) return statusFailure(reply.status);
  const type = reply.header('content-type') ?? '';
  const expected = stream ? 'text/event-stream' : 'application/json';
  if (type.toLowerCase().startsWith(expected)) return null;
  return new ProviderFailure('garbage', `content type ${type.slice(0, 64)} instead of ${expected}`, reply.status);
}

/** The headers of every call to one provider, for streams and for whole replies. */
export interface ChatHeaders {
  readonly stream: readonly string[];
  readonly whole: readonly string[];
}

/** `apiKey` null: the provider asks for none. */
export function chatHeaders(apiKey: string | null): ChatHeaders {
  const authorization = apiKey === null ? [] : ['authorization', `Bearer ${apiKey}`];
  const accepting = (type: string): readonly string[] => [
    ...['content-type', 'application/json', 'accept', type, 'accept-encoding', 'identity', 'user-agent', 'troupe'],
    ...authorization,
  ];
  return { stream: accepting('text/event-stream'), whole: accepting('application/json') };
}

function headersOf({ headers }: ChatTarget, turn: Turn): readonly string[] {
  const own = turn.stream ? headers.stream : headers.whole;
  return turn.conversation === undefined ? own : own.concat('x-session-id', headerText(turn.conversation));
}

/** Visible ASCII as it is; every other byte of the UTF-8 text percent-encoded, so that no text can end a header. */
function headerText(text: string): string {
  if (/^[\x21-\x7e]*$/.test(text)) return text;
  let header = '';
  for (const byte of Buffer.from(text)) {
    header += byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return header;
}
