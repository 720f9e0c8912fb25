import type { ActorEvent, Json } from './event.ts';

/** Characters of a refusal's body that a failure text quotes. */
const BODY_CHARS_MAX = 500;

/** Why an actor refused or did not handle a message that another step of the same cascade sent. */
export type MessageRefusal = {
  /** Address of the actor that refused it. */
  readonly by: string;
  /** Type of the message. */
  readonly event: string;
  /** The body of the actor's `refuse`, or `{unhandled: state}` where its state has no transition for the message. */
  readonly body: Json;
};

/**
 * The event by which a chart learns that a message it sent while handling an input was refused: the input, with
 * `.refused` appended to its type and the refusal as the member `refusal`.
 */
export function refusedEvent(input: ActorEvent, refusal: MessageRefusal): ActorEvent {
  return { ...input, type: `${input.type}.refused`, refusal };
}

/** The refusal as text, for a log line, a dead letter or a failed ask. */
export function textOfRefusal({ by, event, body }: MessageRefusal): string {
  return `${by} refused ${event}: ${JSON.stringify(body).slice(0, BODY_CHARS_MAX)}`;
}
