import type { ActorEvent } from '../runtime/index.ts';

/**
 * How an ask is sent once more when its owner was lost on the way: as it was, since its natural id, or its being a read
 * or a plain setting, makes the second time harmless. (`AskOptions.repeat`)
 */
export function same(event: ActorEvent): ActorEvent {
  return event;
}
