import type { Json } from '../runtime/index.ts';

/**
 * The event as one of its types: what a chart's named action calls to see the members of the event that triggers it.
 * Throws when the chart wired the action to another event, so a wrong wire changes nothing.
 */
export function only<E extends { readonly type: string }, T extends E['type']>(
  event: E,
  type: T,
  orType?: T,
): Extract<E, { readonly type: T }> {
  if (event.type === type || event.type === orType) return event as Extract<E, { readonly type: T }>;
  throw new TypeError(`an action for ${type} was called for ${event.type}`);
}

/** Plain data, declared as an interface, as JSON. Only the type changes. */
export function plain(value: object): Json {
  return value as Json;
}
