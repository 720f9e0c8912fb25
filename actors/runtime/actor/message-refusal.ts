import type { ActorEvent, Json } from './event.ts';

/** Characters of a refusal's body that a failure text repeats. */
const BODY_CHARS_MAX = 500;

/** Why an actor did not take a message that another step of the same cascade sent. */
export type MessageRefusal = {
  /** Address of the actor that did not take it. */
  readonly by: string;
  /** Type of the message. */
  readonly event: string;
  /** What the actor answered with `refuse`, or `{unhandled: state}` where its chart has no transition for the message. */
  readonly body: Json;
};

/**
 * The event that tells a chart which of its messages was refused while it took an input: the input with `.refused`
 * behind its type and the refusal as the member `refusal`.
 */
export function refusedEvent(input: ActorEvent, refusal: MessageRefusal): ActorEvent {
  return { ...input, type: `${input.type}.refused`, refusal };
}

/** The refusal for a log line, a dead letter or a failed ask. */
export function textOfRefusal({ by, event, body }: MessageRefusal): string {
  return `${by} refused ${event}: ${JSON.stringify(body).slice(0, BODY_CHARS_MAX)}`;
}
