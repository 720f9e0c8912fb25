import type { Citation } from '../../terms/turn-event.ts';

/**
 * A cited source as a `url_citation`. Strict clients require a title and a place: the address, and 0 where none is
 * stated.
 */
export function citationMembers({ url, title, excerpt, passage }: Citation): object {
  return { url, title: title ?? url, content: excerpt, start_index: passage?.start ?? 0, end_index: passage?.end ?? 0 };
}
