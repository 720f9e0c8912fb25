import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';

/** The accounting that a client receives at the end of a charged turn. */
export interface Closing {
  /** As the provider reported it; absent counts stay absent. */
  readonly usage: Usage;
  /** Tokens of the prompt that were charged by our own count; absent where the provider reported them. */
  readonly promptCounted?: number;
  /** Searches that were charged; absent where the endpoint prices none. */
  readonly searches?: number;
  /** Exact decimal USD. */
  readonly cost: string;
  /** The requested settings, and whether the serving endpoint declares them. */
  readonly honoured: Readonly<Record<string, boolean>>;
}

/** The type of answers that are JSON. */
export const JSON_REPLY = 'application/json; charset=utf-8';

/**
 * Writes the answer to one request: everything on the wire that depends on the dialect and on the request. It turns
 * events into text and has no access to sockets, money or providers.
 */
export interface ReplyDialect {
  /** The content type of `whole`. */
  readonly type: string;
  /** The body of a reply in one piece. `closing: null`: no charge is recorded, so no usage is shown. */
  whole(head: ReplyHead, events: readonly TurnEvent[], closing: Closing | null): string;
  /**
   * The same body in pieces, where writing a large one takes long: each piece is made once the event loop has room.
   * Absent: written in one go.
   */
  readonly pieces?: (head: ReplyHead, events: readonly TurnEvent[], closing: Closing | null) => Iterable<string>;
  /** The frames of a streamed reply. */
  frames(head: ReplyHead): ReplyFrames;
  /** The first text of every stream; '' where a stream begins with the frames of its first part. */
  readonly processing: string;
  /** Keeps an idle stream alive before its frames exist, and afterwards unless they have a text of their own. */
  readonly keepAlive: string;
  /**
   * A silence after which `ReplyFrames.keepAlive` is used even before the turn runs: the head of such frames names the
   * first model of the request, and changes once the turn runs. Absent: only once the turn runs.
   */
  readonly framesAfterMs?: number;
  /** A path of a chat request in a request of this dialect, null where it has none; absent where they are the same. */
  readonly pathOf?: (path: string) => string | null;
}

/** One streamed reply. Every returned text consists of complete frames, to be written in one piece; empty: none. */
export interface ReplyFrames {
  /** The frames of events that arrived together; an `error` event is the last frame before the end. */
  of(events: readonly TurnEvent[]): string;
  /** The end of the stream. `closing: null`: it broke off, or no charge is recorded. */
  end(closing: Closing | null): string;
  /** The text that keeps the stream alive now, where it depends on what was sent; `silentMs` since the last frame. */
  keepAlive?(silentMs: number): string;
}

/** Members of every reply and chunk of one generation. `created` is Unix seconds; `provider` is a display name. */
export interface ReplyHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly provider: string;
}

/** Fixed texts of chat and text completion streams. (rule I52, rule I55) */

/** Comments end in one newline: a blank line would dispatch an empty event in some clients. */
export const PROCESSING = ': processing\n';
export const KEEP_ALIVE = ': keep-alive\n';
export const DONE = 'data: [DONE]\n\n';
