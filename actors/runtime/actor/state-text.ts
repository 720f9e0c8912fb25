import type { Json } from './event.ts';
import type { Kind } from './kind.ts';

/** A state value as one word: `active`, `open.paused`, and the regions of a parallel state joined by a plus. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || typeof value !== 'object') return '';
  const parts: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const below = stateText(inner);
    parts.push(below === '' ? key : `${key}.${below}`);
  }
  return parts.join('+');
}

/** The state as operators see it: with the note of the kind in brackets. */
export function shownState({ note }: Pick<Kind, 'note'>, state: string, context: Json): string {
  const word = note?.(context) ?? null;
  return word === null ? state : `${state} (${word})`;
}

/** The state of an actor that does not exist. */
export const ABSENT = 'absent';
