import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';

/** What a frame of a stream is: a part of the answer, an ignored frame, or the terminator. */
export type FrameKind = 'part' | 'nothing' | 'end';

/**
 * Turns the answer of one provider into events and keeps the state across frames. Throws `ProviderFailure` for an
 * invalid answer; its messages never quote the provider.
 */
export interface ReplyReader {
  /** The finish reason has arrived; only the usage can follow. */
  readonly finished: boolean;
  /** The usage reported so far; later running totals replace earlier ones. */
  readonly usage: Usage;
  readonly upstreamId: string | null;
  /** Adds the events of one frame: its event name, undefined where it has none, and its data. */
  readFrame(name: string | undefined, data: string, events: TurnEvent[]): FrameKind;
  /** Adds the events of an answer in one piece, which was parsed. */
  readWhole(answer: Readonly<Record<string, unknown>>, events: TurnEvent[]): void;
}
