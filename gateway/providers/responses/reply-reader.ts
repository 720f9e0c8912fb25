import type { FinishReason, TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { FrameKind, ReplyReader } from '../adapter.ts';
import { readUsage } from '../chat/read-usage.ts';
import { inBandFailure } from '../in-band-failure.ts';
import { membersOf, parsed } from '../parsed.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { RefusalNote } from '../refused.ts';
import { ResponseItems } from './response-items.ts';

const UPSTREAM_ID_CHARACTERS_MAX = 256;
const NATIVE_CHARACTERS_MAX = 64;
/** No part of the dialect, but servers end every stream with it. */
const TERMINATOR = '[DONE]';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a responses stream by the types of its events, and whole responses. Ignores events of other types, such as those
 * of tools that the provider runs itself.
 */
export class ResponsesReader implements ReplyReader {
  finished = false;
  usage: Usage = {};
  upstreamId: string | null = null;
  readonly #items: ResponseItems;
  readonly #note: RefusalNote | undefined;

  constructor(makeCallId: (index: number) => string, note?: RefusalNote, provider?: string) {
    this.#items = new ResponseItems(makeCallId, provider);
    this.#note = note;
  }

  readFrame(name: string | undefined, data: string, events: TurnEvent[]): FrameKind {
    if (data === TERMINATOR) return 'end';
    const frame = parsed(data);
    const type = frame.type ?? name;
    if (typeof type !== 'string') return 'nothing';
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
      case 'response.queued':
        this.#identify(membersOf(frame.response));
        return 'part';
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#end(membersOf(frame.response), type.slice('response.'.length), events);
        return 'end';
      case 'error':
        throw inBandFailure(frame.error ?? { ...frame, type: undefined }, this.#note);
      default:
        return this.#items.read(type, frame, events) ? 'part' : 'nothing';
    }
  }

  readWhole(response: Members, events: TurnEvent[]): void {
    this.#end(response, response.status, events);
  }

  /** Two generations on one connection: their items have the same indexes and would become one answer. */
  #identify({ id }: Members): void {
    if (typeof id !== 'string' || id === '') return;
    const given = id.slice(0, UPSTREAM_ID_CHARACTERS_MAX);
    if (this.upstreamId !== null && this.upstreamId !== given) {
      throw new ProviderFailure('garbage', 'a second response begins in the stream');
    }
    this.upstreamId = given;
  }

  /** The end of a response holds all of it: items that no event has brought are read there. */
  #end(response: Members, event: unknown, events: TurnEvent[]): void {
    this.#identify(response);
    this.usage = readUsage(response.usage) ?? this.usage;
    const status = response.status === 'incomplete' || response.status === 'failed' ? response.status : event;
    if (response.error != null || status === 'failed') throw inBandFailure(response.error, this.#note);
    if (status !== 'completed' && status !== 'incomplete') {
      throw new ProviderFailure('garbage', 'the response has not ended');
    }
    this.#items.end(response.output, status === 'completed', events);
    const { reason } = membersOf(response.incomplete_details);
    const native = status === 'completed' || typeof reason !== 'string' ? status : reason;
    this.finished = true;
    events.push({ type: 'finish', reason: this.#reasonOf(native), native: native.slice(0, NATIVE_CHARACTERS_MAX) });
  }

  /** An answer that is incomplete for an unknown reason was cut. */
  #reasonOf(native: string): FinishReason {
    if (native === 'completed') return this.#items.calls > 0 ? 'tool_calls' : 'stop';
    return native === 'content_filter' ? 'content_filter' : 'length';
  }
}
