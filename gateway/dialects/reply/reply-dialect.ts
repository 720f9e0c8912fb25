import type { TurnEvent } from '../../terms/turn-event.ts';
import type { Usage } from '../../terms/usage.ts';
import type { ReplyHead } from './reply-head.ts';

/** What a caller is told at the end of a charged turn. */
export interface Closing {
  /** As the provider reported it; absent counts stay absent. */
  readonly usage: Usage;
  /** Exact decimal USD. */
  readonly cost: string;
  /** Settings that were asked for, and whether the serving endpoint declares them. */
  readonly honoured: Readonly<Record<string, boolean>>;
}

/**
 * How the answer to one request is written: everything that its dialect and the request itself say about the wire. Text
 * in the form of events goes in, text of the wire comes out; it knows no socket, no money and no provider.
 */
export interface ReplyDialect {
  /** The body of a reply in one piece. `closing: null`: the accounting could not be closed, and no usage is shown. */
  whole(head: ReplyHead, events: readonly TurnEvent[], closing: Closing | null): string;
  /** The frames of a streamed reply. */
  frames(head: ReplyHead): ReplyFrames;
  /** What a stream begins with, before anything of the turn is known, and what keeps a silent one alive. */
  readonly processing: string;
  readonly keepAlive: string;
}

/** One streamed reply. Every text it gives is whole frames, to be written in one piece; empty: nothing to send. */
export interface ReplyFrames {
  /** The frames of what arrived together; an `error` event is the last frame before the end. */
  of(events: readonly TurnEvent[]): string;
  /** The end of the stream. `closing: null`: it broke, or its accounting could not be closed. */
  end(closing: Closing | null): string;
}
