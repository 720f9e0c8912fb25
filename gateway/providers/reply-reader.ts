import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';

/** What a frame of a stream was: a part of the answer, nothing to speak of, or the word that nothing follows. */
export type FrameKind = 'part' | 'nothing' | 'end';

/**
 * Turns what one provider sends into events and keeps what must be known across frames. Throws `ProviderFailure` for
 * what is no answer; its messages hold none of the provider's own words.
 */
export interface ReplyReader {
  /** The finish was seen: behind it only the usage can still come. */
  readonly finished: boolean;
  /** What was reported so far; running totals are replaced by later ones. */
  readonly usage: Usage;
  readonly upstreamId: string | null;
  /** Adds the events of one frame: its event name, undefined where it has none, and its data. */
  readFrame(name: string | undefined, data: string, events: TurnEvent[]): FrameKind;
  /** Adds the events of an answer in one piece. */
  readWhole(text: string, events: TurnEvent[]): void;
}
