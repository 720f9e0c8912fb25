import type { ActorEvent } from '../runtime/index.ts';

/**
 * Repeats an ask unchanged after its owner was lost. Safe because the event has a natural id, is a read, or sets a
 * plain value. (`AskOptions.repeat`)
 */
export function same(event: ActorEvent): ActorEvent {
  return event;
}
