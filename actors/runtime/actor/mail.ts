import type { Answer } from './answer.ts';
import type { ActorEvent } from './event.ts';
import type { SystemMessage } from './system-message.ts';

/** Which lane a message waits in. `kept`: what came while the actor was quarantined, before everything that came since. */
export type LaneName = 'kept' | 'system' | 'finish' | 'start';

/** A due timer on its way to its actor. The entry of the step also removes the timer's row. */
export interface Firing {
  readonly name: string;
  /** It has failed so often that it is set aside if it fails once more. */
  readonly last: boolean;
  /** The row of an input that was kept while its actor was quarantined; it goes instead of a timer's. */
  readonly deferred?: string;
  /** False once the timer was replaced or cancelled: then it must not fire. */
  current(): boolean;
  /** The step threw; the timer's row is still there. */
  failed(detail: string): void;
  /** It could not be stepped now, through no fault of its own. */
  postponed(): void;
}

/** One message in an actor's mailbox. */
export interface Mail {
  readonly event: ActorEvent;
  /** Monotonic ms after which it is not worth stepping. */
  readonly deadline: number;
  readonly trace: string | undefined;
  /** Called exactly once; null for a tell. */
  readonly answer: ((answer: Answer) => void) | null;
  readonly firing: Firing | null;
  readonly systemMessage: SystemMessage | null;
  /** Next in its lane; only the lane touches it. */
  next: Mail | null;
  /** What was fetched for it so far, so that stepping it again finds it; null until something was. */
  fetched: Fetched | null;
}

/** An event of the runtime itself on its way to an actor: it has no deadline and no trace. */
export function ownMail(event: ActorEvent, input: Pick<Mail, 'answer' | 'firing' | 'systemMessage'>): Mail {
  const { answer, firing, systemMessage } = input;
  const deadline = Number.POSITIVE_INFINITY;
  return { event, deadline, trace: undefined, answer, firing, systemMessage, next: null, fetched: null };
}

/** What a message keeps in memory while it waits to be stepped again. */
export interface Fetched {
  /** How often it was stepped in vain. */
  tries: number;
  /** Lets go of everything fetched. */
  readonly release: (() => void)[];
  /** What to answer because fetching failed; null while it has not. */
  failure: Answer | null;
}
