import { signedHeaders } from '../../outbound/credentials.ts';
import type { Outbound, OutboundLimits, OutboundReply } from '../../outbound/outbound.ts';
import type { Turn } from '../../terms/turn.ts';
import type { ProviderAttempt, ProviderUpload } from '../adapter.ts';
import { failureOf } from '../failure-of.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { ReplySharing } from '../read-reply.ts';
import { type RefusalNote, refused } from '../refused.ts';
import { WholeAttempt } from '../whole-attempt.ts';
import { StreamAttempt, type StreamSharing } from './stream-attempt.ts';
import { streamTypeOf, type Target } from './target.ts';

interface OpenRequest {
  /** From `targetOf`, once per endpoint. */
  readonly target: Target;
  readonly turn: Turn;
  /** The request body, if the turn was already rendered for this target. */
  readonly body?: string | ProviderUpload | undefined;
  /** The token ceiling sent to this endpoint. */
  readonly ceiling: number;
  /** Generation id, only to make ids for tool calls that the provider sent without one. */
  readonly generation: string;
  readonly limits: OutboundLimits;
  readonly lineBytesMax: number;
  readonly sharing: Pick<ReplySharing, 'clock' | 'room'> & StreamSharing;
  /** Receives what the provider sent instead of an answer; absent: it is dropped. */
  readonly refusals?: RefusalSink | undefined;
  /** The `traceparent` header of a traced request. */
  readonly trace?: string | undefined;
  /** Receives the function that aborts the attempt, before it is sent. */
  readonly begun: (abort: () => void) => void;
}

/**
 * Receives one raw refusal with its failure, and the request that it may quote. The text is not redacted: only
 * `redactRefusal` may read it.
 */
export type RefusalSink = (
  raw: string,
  failure: ProviderFailure,
  sent: {
    readonly turn: Turn;
    /** Null for an upload: nothing is left of it. */
    readonly body: string | null;
  },
) => void;

/** Factor on the line bound for endpoints that answer with media: one line holds a whole picture in base64. */
const MEDIA_LINE_FACTOR = 8;

/**
 * Sends a turn to an endpoint of any dialect and resolves when its answer has begun. Of the caller's headers it
 * forwards only the conversation id. Rejects with `ProviderFailure`.
 */
export async function open(outbound: Outbound, request: OpenRequest): Promise<ProviderAttempt> {
  const { target, turn, refusals } = request;
  let reply: OutboundReply;
  let body: string | ProviderUpload;
  try {
    body = request.body ?? target.write(turn, request.ceiling);
    const { url, headers: fixed } = turn.stream ? target.stream : target.whole;
    let headers = headersOf(typeof body === 'string' ? fixed : uploadHeaders(fixed, body), turn, request.trace);
    const { signer } = target;
    if (signer !== null) {
      headers = await signedHeaders(signer, {
        method: 'POST',
        url,
        headers,
        body,
        clock: request.sharing.clock,
        outbound,
      });
    }
    reply = await outbound.send({
      method: 'POST',
      url,
      headers,
      body,
      limits: request.limits,
      begun: request.begun,
    });
  } catch (error) {
    throw failureOf(error, null);
  }
  const note: RefusalNote | undefined =
    refusals && ((raw, failure) => refusals(raw, failure, { turn, body: typeof body === 'string' ? body : null }));
  const { clock, room, streamShare } = request.sharing;
  if (reply.status !== 200) throw await refused(reply, note && { note, clock });
  const { adapter } = target;
  const failure = failureOfHead(reply, turn.stream ? streamTypeOf(adapter) : 'application/json');
  if (failure) {
    reply.body.abort();
    throw failure;
  }
  const makeCallId = (index: number): string => `call_${request.generation}_${index}`;
  const reader = adapter.reader(makeCallId, note, turn, target.learnt, target.provider);
  if (!turn.stream) {
    const { bodyBytesMax } = request.limits;
    return new WholeAttempt(reply, reader, { clock, room, bodyBytesMax, tokensMax: adapter.replyTokensMax });
  }
  const lineCharactersMax = target.drawsMedia ? request.lineBytesMax * MEDIA_LINE_FACTOR : request.lineBytesMax;
  return new StreamAttempt(reply, reader, { lineCharactersMax, streamShare, framing: adapter.framing });
}

function failureOfHead(reply: OutboundReply, expected: string): ProviderFailure | null {
  const type = reply.header('content-type') ?? '';
  if (type.startsWith(expected) || type.toLowerCase().startsWith(expected)) return null;
  return new ProviderFailure('garbage', `the content type is not ${expected}`, reply.status);
}

/** The prepared headers begin with the type of a JSON body. */
function uploadHeaders(fixed: readonly string[], { type }: ProviderUpload): readonly string[] {
  return ['content-type', type, ...fixed.slice(2)];
}

function headersOf(fixed: readonly string[], turn: Turn, trace: string | undefined): readonly string[] {
  const own = trace === undefined ? fixed : fixed.concat('traceparent', trace);
  return turn.conversation === undefined ? own : own.concat('x-session-id', headerText(turn.conversation));
}

/** Visible ASCII unchanged; every other byte of the UTF-8 text percent-encoded, so that no text can end a header. */
function headerText(text: string): string {
  if (/^[\x21-\x7e]*$/.test(text)) return text;
  let header = '';
  for (const byte of Buffer.from(text)) {
    header += byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  }
  return header;
}
