import type { Answer } from './answer.ts';
import type { ActorEvent } from './event.ts';
import type { SystemMessage } from './system-message.ts';

/**
 * The lane in which a message waits. `deferred`: inputs deferred while the actor was quarantined, served before all
 * later ones.
 */
export type LaneName = 'deferred' | 'system' | 'finish' | 'start';

/** A due timer, or a deferred input, on its way to its actor. The entry of the step also removes its row. */
export interface Firing {
  readonly name: string;
  /** The last try: one more failure makes it a dead letter. */
  readonly last: boolean;
  /** The row id of a deferred input; its row is removed instead of a timer's. */
  readonly deferred?: string;
  /** False once the timer has been replaced or cancelled and must not fire. */
  current(): boolean;
  /** Called when the step threw; the timer's row is still there. */
  failed(detail: string): void;
  /** Called when the input could not be stepped for a reason outside it. */
  postponed(): void;
}

/** One message in an actor's mailbox. */
export interface Mail {
  readonly event: ActorEvent;
  /** Monotonic ms after which the message expires. */
  readonly deadline: number;
  readonly trace: string | undefined;
  /** Called exactly once; null for a tell. */
  readonly answer: ((answer: Answer) => void) | null;
  readonly firing: Firing | null;
  readonly systemMessage: SystemMessage | null;
  /** Next in its lane; only the lane writes it. */
  next: Mail | null;
  /** The actors and rows loaded for it so far, kept so that the next try finds them; null before the first load. */
  fetched: Fetched | null;
}

/** Wraps an event of the runtime itself: it has no deadline and no trace. */
export function ownMail(event: ActorEvent, input: Pick<Mail, 'answer' | 'firing' | 'systemMessage'>): Mail {
  const { answer, firing, systemMessage } = input;
  const deadline = Number.POSITIVE_INFINITY;
  return { event, deadline, trace: undefined, answer, firing, systemMessage, next: null, fetched: null };
}

/** What a message keeps in memory while it waits for its next try. */
export interface Fetched {
  /** Number of tries so far. */
  tries: number;
  /** Releases everything loaded. */
  readonly release: (() => void)[];
  /** The failure of a load, to be sent as the answer; null while there is none. */
  failure: Answer | null;
}
